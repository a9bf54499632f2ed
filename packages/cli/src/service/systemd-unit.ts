export interface ServiceProgram {
  /** Program and arguments; the program's path is absolute. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export const UNIT_NAME = 'portolan.service';

const LINGERING = 'X-Portolan-Lingering=on';

/**
 * Returns a unit of the user's systemd that starts previously running workloads. It stays active while they
 * run, and systemd stops them at shutdown (systemd.service(5), systemd.exec(5)).
 */
export function systemdUnit({ command, environment }: ServiceProgram, hasEnabledLingering: boolean): string {
  return [
    '# Written by `portolan service install`; `portolan service uninstall` removes it.',
    '[Unit]',
    'Description=Workloads of Portolan that nobody has stopped',
    '# Container engines of this user; `portolan service run` waits for one of the machine.',
    'After=docker.service podman.socket',
    ...(hasEnabledLingering ? [LINGERING] : []),
    '',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    `ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`,
    'TimeoutStopSec=60',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** Returns whether `install` enabled lingering, so that `uninstall` has to disable it. */
export function isLingeringOurs(unit: string): boolean {
  return unit.split('\n').includes(LINGERING);
}

/** Quotes a word for a unit file, where `%` begins a specifier. */
function quoted(word: string): string {
  return `"${word.replaceAll(/["\\]/g, (sign) => `\\${sign}`).replaceAll('%', '%%')}"`;
}
