import { lines } from './host-files.ts';
import type { Places } from './places.ts';
import { gpuFiles, gpusPerNode } from './slurm-files.ts';
import { type Host, hasSshd, innerAddress, storePort, type Topology } from './topology.ts';

export type Programs = { node: string; relay: string; versitygw: string };

/**
 * The first process of a host: it makes the host's own view of the file system, starts its services and takes in
 * orphans. It is number 1 of a pid namespace: when it is killed, the kernel kills all that ever ran on the host.
 */
export function initScript(host: Host, topology: Topology, places: Places, programs: Programs): string {
  return lines([
    'set -euo pipefail',
    'umask 022',
    `SELF=${places.self}`,
    '# /proc is still the machine’s: this is the number by which others know this process.',
    'read -r outer _ < /proc/self/stat',
    ...view(host, places),
    ...services(host, topology, programs),
    'echo "$outer" > $SELF/init.pid.part',
    'mv $SELF/init.pid.part $SELF/init.pid',
    'sleep infinity &',
    'while :; do wait || true; done',
  ]);
}

function view(host: Host, places: Places): string[] {
  const { self } = places;
  return [
    'mount -t proc proc /proc',
    'mount -t sysfs sysfs /sys',
    `hostname ${host.name}`,
    `mount --bind ${places.host(host.name)} ${self}`,
    `mount --bind ${self}/private ${places.private}`,
    `mount --bind ${self}/tmp /tmp`,
    `mount --bind ${self}/log /var/log`,
    'mount -t tmpfs -o mode=755 run /run',
    'mount -t tmpfs -o mode=1777 shm /dev/shm',
    `mount --bind ${self}/boot_id /proc/sys/kernel/random/boot_id`,
    'for name in hostname hosts passwd shadow group; do',
    `  if [ -e /etc/$name ]; then mount --bind ${self}/etc/$name /etc/$name; fi`,
    'done',
    `if [ -d ${self}/etc/slurm ]; then mount --bind ${self}/etc/slurm /etc/slurm; fi`,
    '# What other hosts and the caller hold is not to be seen from here.',
    `mount -t tmpfs -o mode=755 hidden ${places.hosts}`,
    `mount -t tmpfs -o mode=755 hidden ${places.caller}`,
    'mkdir -p /run/sshd /run/munge /run/mysqld /run/lock',
    'cd /',
  ];
}

function services(host: Host, topology: Topology, programs: Programs): string[] {
  const self = '$SELF';
  const clustered = topology.slurm && (host.role === 'compute' || host.role === 'login');
  return [
    'serve() { name=$1; shift; "$@" < /dev/null >> "/var/log/$name.log" 2>&1 & }',
    'until_there() { for _ in $(seq 300); do if "$@" > /dev/null 2>&1; then return 0; fi; sleep 0.1; done; return 1; }',
    ...(hasSshd(host) ? [`serve sshd /usr/sbin/sshd -D -e -f ${self}/etc/sshd_config`] : []),
    ...(host.delayMs === null
      ? []
      : [
          '# The socket of the boot before is still in the folder.',
          `rm -f ${self}/relay.sock`,
          `serve relay ${programs.node} ${programs.relay} ${innerAddress(host)}:22 127.0.0.1:22 ${self}/relay.sock ${host.delayMs}`,
        ]),
    ...(clustered ? [munged] : []),
    ...(clustered && host.role === 'login' ? loginServices : []),
    ...(clustered && host.role === 'compute' ? slurmd(host) : []),
    ...(host.role === 'storage' ? [storeService(programs)] : []),
  ];
}

const munged = [
  'serve munged /usr/sbin/munged --foreground --force --num-threads=2 --key-file=$SELF/munge.key',
  '--socket=/run/munge/munge.socket.2 --pid-file=/run/munge/munged.pid --log-file=/var/log/munged.log',
  '--seed-file=$SELF/munge.seed',
].join(' ');

/** The database, then accounting, then the controller: each asks the one before. */
const loginServices = [
  'slurm_login() {',
  '  mkdir -p $SELF/slurm/state',
  '  if [ ! -d $SELF/mysql/mysql ]; then',
  '    mariadb-install-db --no-defaults --user=root --datadir=$SELF/mysql --skip-test-db',
  '  fi',
  '  serve mariadbd /usr/sbin/mariadbd --no-defaults --user=root --datadir=$SELF/mysql --skip-networking --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/mysqld.pid --innodb-buffer-pool-size=64M',
  '  until_there mariadb --no-defaults --socket=/run/mysqld/mysqld.sock --execute "select 1"',
  '  serve slurmdbd /usr/sbin/slurmdbd -D',
  '  until_there sacctmgr --immediate show cluster',
  '  if [ -z "$(sacctmgr --noheader show cluster her)" ]; then sacctmgr --immediate add cluster her; fi',
  '  serve slurmctld /usr/sbin/slurmctld -D',
  '}',
  'serve slurm-login slurm_login',
];

function slurmd({ name }: Host): string[] {
  const gpus = Array.from({ length: gpusPerNode }, (_, index) => `mknod ${gpuFiles}${index} c 1 3`);
  return [...gpus, `serve slurmd /usr/sbin/slurmd -D -N ${name}`];
}

function storeService({ versitygw }: Programs): string {
  return [
    'set -a; . $SELF/s3.env; set +a',
    'mkdir -p $SELF/objects/her',
    `serve versitygw ${versitygw} --port :${storePort} posix $SELF/objects`,
  ].join('\n');
}
