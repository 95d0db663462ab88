#!/usr/bin/env bash
# Start a Slurm of its own on this host: start.sh FOLDER. Two nodes, n1 with CPUs alone
# and n2 with a GPU that is none (the null device); no accounting, as on many clusters.
set -euo pipefail
folder=$(realpath -m "$1")
host=$(hostname -s)
mkdir -p "$folder"/{munge,state,spool/n1,spool/n2,log,run}
chmod 755 "$folder" "$folder/run"
chmod 700 "$folder/munge"
head -c 1024 /dev/urandom > "$folder/munge/key"
chmod 400 "$folder/munge/key"
mknod "$folder/run/gpu0" c 1 3 # Slurm takes no plain file for a GPU

cat > "$folder/slurm.conf" <<CONF
ClusterName=skillmill
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
MinJobAge=3600
KillWait=2
SlurmdTimeout=10
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=26821 CPUs=4 RealMemory=16000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=26822 CPUs=4 RealMemory=16000 Gres=gpu:1 State=UNKNOWN
PartitionName=cpu Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
PartitionName=gpu Nodes=n2 MaxTime=INFINITE State=UP
CONF
echo "NodeName=n2 Name=gpu File=$folder/run/gpu0" > "$folder/gres.conf"

# Slurm drops its own variables before a job's inner step, so only the usual place works.
mkdir -p /etc/slurm
ln -sfn "$folder/slurm.conf" /etc/slurm/slurm.conf
ln -sfn "$folder/gres.conf" /etc/slurm/gres.conf
unset SLURM_CONF
munged --force --num-threads=2 --key-file="$folder/munge/key" \
    --socket="$folder/run/munge.socket" --pid-file="$folder/run/munged.pid" \
    --log-file="$folder/log/munged.log" --seed-file="$folder/munge/seed"
slurmctld -c
for node in n1 n2; do slurmd -N $node; done
for _ in $(seq 300); do
    [ "$(sinfo -h -o %T 2>/dev/null | sort -u | tr -d '\n')" = idle ] && exit 0
    sleep 0.1
done
echo "error: the nodes did not become idle; see $folder/log" >&2
exit 1
