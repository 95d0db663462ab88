#!/usr/bin/env bash
# Install Debian's Slurm and the Python plugin, where they are not there yet.
set -euo pipefail
if ! command -v slurmctld slurmd munged >/dev/null; then
    [ "$(id -u)" = 0 ] || { echo "error: Slurm is not installed, and only root can: apt-get install slurm-wlm munge" >&2; exit 1; }
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm slurm-client munge
fi
