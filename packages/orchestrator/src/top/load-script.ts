/**
 * What a node is doing now, in sections; POSIX shell, so that nothing of ours has to be there. What may hang (a dead
 * mount, a wedged driver) has a time limit of its own, where the node can set one.
 */
export const loadScript = `
PATH="$PATH:/usr/bin:/bin:/usr/local/bin:/usr/local/nvidia/bin:/opt/rocm/bin:/usr/lib/wsl/lib"
export LC_ALL=C
within() { if command -v timeout >/dev/null 2>&1; then timeout -k 1 5 "$@"; else "$@"; fi; }
echo '== load'; cat /proc/loadavg
echo '== cores'; getconf _NPROCESSORS_ONLN
echo '== memory'; grep -E '^Mem(Total|Available):' /proc/meminfo
echo '== disk'
place=$1
case $place in '~') place=$HOME;; '~/'*) place=$HOME/\${place#'~/'};; esac
while [ -n "$place" ] && [ ! -d "$place" ]; do case $place in */*) place=\${place%/*};; *) place=;; esac; done
within df -Pk -- "\${place:-/}" 2>/dev/null | tail -n 1
if command -v nvidia-smi >/dev/null 2>&1; then
  echo '== nvidia'
  within nvidia-smi --query-gpu=index,name,utilization.gpu,memory.used,memory.total,temperature.gpu --format=csv,noheader 2>&1
elif command -v rocm-smi >/dev/null 2>&1; then
  echo '== rocm'
  within rocm-smi --showproductname --showuse --showmeminfo vram --showtemp --json 2>/dev/null
fi
echo '== end'
`;
