import { scratchUnusable } from './errors.ts';
import type { Repository } from './parse-repository.ts';

/** What git starts for ssh, by a shell: constant, so that nothing of a configuration can be part of it. */
export const SSH_COMMAND = 'ssh -F "$PORTOLAN_SSH_CONFIGURATION"';

export interface SshConfigurationInput {
  /** Holds links to key and known hosts. */
  readonly folder: string;
  readonly repository: Pick<Repository, 'host' | 'port'>;
  /** The one that is connected to; left out: whichever the name leads to. */
  readonly address: string | undefined;
}

/** A configuration of ssh that takes nothing from user or system: one key, one list of known hosts, no question to anyone. */
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
