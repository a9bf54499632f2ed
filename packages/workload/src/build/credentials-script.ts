import { randomBytes } from 'node:crypto';
import type { AuthFileName } from '@portolan/plugin-api';

/**
 * Returns a shell script that sets the variables and creates a home folder in memory with the credential
 * files. Tools still write settings and caches to the disk, because these do not fit into memory. Values may
 * contain any character except NUL.
 */
export function credentialsScript({
  variables,
  authFiles,
}: {
  readonly variables: Readonly<Record<string, string>>;
  readonly authFiles: Readonly<Partial<Record<AuthFileName, string>>>;
}): string {
  const files = Object.entries(authFiles);
  return [
    ...(files.length === 0 ? [] : homeLines(files)),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    'portolan_whole=yes',
    '',
  ].join('\n');
}

function homeLines(files: readonly (readonly [name: string, text: string])[]): readonly string[] {
  const has = (name: AuthFileName): boolean => files.some(([known]) => known === name);
  return [
    'portolan_home=${HOME:-/root}',
    `HOME=/dev/shm/portolan-${randomBytes(8).toString('hex')}`,
    'export HOME',
    '(umask 077; mkdir "$HOME")',
    ...DISK,
    `export npm_config_userconfig="${has('npmrc') ? '$HOME' : '$portolan_home'}/.npmrc"`,
    ...(has('netrc') ? ['export NETRC="$HOME/.netrc"'] : []),
    ...files.map(
      ([name, text]) => `(umask 077; printf '%s\\n' ${quoteForShell(text.trimEnd())} > "$HOME/.${name}")`,
    ),
    'unset portolan_home',
  ];
}

const DISK: readonly string[] = [
  'export XDG_CONFIG_HOME="${XDG_CONFIG_HOME:-$portolan_home/.config}"',
  'export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$portolan_home/.cache}"',
  'export XDG_DATA_HOME="${XDG_DATA_HOME:-$portolan_home/.local/share}"',
  'export npm_config_cache="${npm_config_cache:-$portolan_home/.npm}"',
  'export GOPATH="${GOPATH:-$portolan_home/go}"',
];

/** Quotes a text as one literal word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
