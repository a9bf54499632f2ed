import { scratchUnusable } from './errors.ts';
import type { Repository } from './parse-repository.ts';

/** Command that git runs for ssh. It is constant, so that the shell command contains no configured text. */
export const SSH_COMMAND = 'ssh -F "$PORTOLAN_SSH_CONFIGURATION"';

export interface SshConfigurationInput {
  /** Folder with symbolic links to the key and the known hosts. */
  readonly folder: string;
  readonly repository: Pick<Repository, 'host' | 'port'>;
  /** IP address to connect to. Undefined permits any address of the host. */
  readonly address: string | undefined;
}

/**
 * Returns the ssh configuration. It ignores settings of the user and the system: one key, one list of known
 * hosts, no prompts.
 */
export function sshConfiguration({ folder, repository, address }: SshConfigurationInput): string {
  if (/["%$\\\n]/.test(folder)) throw scratchUnusable();
  const { host, port } = repository;
  const lines = [
    'BatchMode yes',
    'StrictHostKeyChecking yes',
    `UserKnownHostsFile "${folder}/knownHostsFile"`,
    'GlobalKnownHostsFile /dev/null',
    'UpdateHostKeys no',
    'CheckHostIP no',
    'VerifyHostKeyDNS no',
    `IdentityFile "${folder}/keyFile"`,
    'CertificateFile none',
    'IdentitiesOnly yes',
    'IdentityAgent none',
    'PreferredAuthentications publickey',
    'ForwardAgent no',
    'ForwardX11 no',
    'ClearAllForwardings yes',
    'PermitLocalCommand no',
    'ProxyCommand none',
    'ControlMaster no',
    'ControlPath none',
    'CanonicalizeHostname no',
    'EscapeChar none',
    'ConnectTimeout 15',
    'ServerAliveInterval 15',
    'ServerAliveCountMax 4',
    'LogLevel ERROR',
    ...(address === undefined
      ? []
      : [`HostName ${address}`, `HostKeyAlias ${port === 22 ? host : `[${host}]:${port}`}`]),
  ];
  return `Host *\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
