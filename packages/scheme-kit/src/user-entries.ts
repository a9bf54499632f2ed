import type { BuildInput } from '@portolan/plugin-api';
import { scriptLine } from './dockerfile-lines.ts';

/** User of the image, who runs the server unless folders are mounted. */
export const IMAGE_USER = '65532:65532';

/** Home folder of every user. It exists in each container and is writable. */
const HOME = '/tmp';

/**
 * Writes an entry in `/etc/passwd` and `/etc/group` for each `UID:GID` argument, below the folder `$1`. An
 * existing entry keeps its name and gets the home folder. Uses only the shell, `cat` and `mkdir`.
 */
export const ADD_USERS: readonly string[] = [
  'portolan_users() {',
  '  passwd=$1/etc/passwd group=$1/etc/group',
  '  shift',
  '  mkdir -p "${passwd%/*}"',
  '  [ -e "$passwd" ] || : > "$passwd"',
  '  [ -e "$group" ] || : > "$group"',
  '  for id in "$@"; do',
  '    uid=${id%:*} gid=${id#*:} found= all=',
  '    while IFS=: read -r name shadow user first text home shell || [ -n "$name" ]; do',
  `      if [ "$user" = "$uid" ]; then found=yes home=${HOME}; fi`,
  '      all="$all$name:$shadow:$user:$first:$text:$home:$shell',
  '"',
  '    done < "$passwd"',
  `    [ -n "$found" ] || all="\${all}user$uid:x:$uid:$gid::${HOME}:/bin/sh`,
  '"',
  '    printf %s "$all" > "$passwd"',
  '    found= all=',
  '    while IFS=: read -r name shadow first text || [ -n "$name" ]; do',
  '      if [ "$first" = "$gid" ]; then found=yes; fi',
  '      all="$all$name:$shadow:$first:$text',
  '"',
  '    done < "$group"',
  '    [ -n "$found" ] || all="${all}user$gid:x:$gid:',
  '"',
  '    printf %s "$all" > "$group"',
  '  done',
  '}',
];

/**
 * Returns the usual user, and the caller, used when the caller's folders are mounted. Under a rootless engine
 * the latter is user 0.
 */
export function usersOf({ caller }: Pick<BuildInput, 'caller'>): readonly string[] {
  return [...new Set([IMAGE_USER, '0:0', ...(caller === undefined ? [] : [caller])])];
}

export function usersLine(input: Pick<BuildInput, 'caller'>): string {
  return scriptLine(['set -eu', ...ADD_USERS, 'portolan_users "$@"'], ['', ...usersOf(input)]);
}
