#!/usr/bin/env bash
# End the Slurm of a folder, and what its jobs left running: stop.sh FOLDER
folder=$(realpath "$1")
scancel --full --user root 2>/dev/null
for file in "$folder"/run/{slurmd-n1,slurmd-n2,slurmctld,munged}.pid; do
    [ -s "$file" ] && kill "$(cat "$file")" 2>/dev/null
done
for _ in $(seq 100); do
    ls "$folder"/run/*.pid >/dev/null 2>&1 || break
    sleep 0.1
done
for name in slurm.conf gres.conf; do
    [ "$(readlink -f /etc/slurm/$name)" = "$folder/$name" ] && rm /etc/slurm/$name
done
exit 0
