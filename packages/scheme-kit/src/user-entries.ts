import type { BuildInput } from '@portolan/plugin-api';
import { scriptLine } from './dockerfile-lines.ts';

/** User that an image that Portolan builds runs as where nothing is mounted. */
export const IMAGE_USER = '65532:65532';

/** Home folder of every user of an image: it exists in each container, and can be written. */
const HOME = '/tmp';

/**
 * Writes an entry of `/etc/passwd` and of `/etc/group` for each `UID:GID` among its arguments, below the
 * folder `$1`. An entry that is there keeps its name and gets the home folder. Uses no program but the
 * shell, `cat` and `mkdir`.
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
 * Returns the users of an image: the one that its containers run as, and the caller, whom they run as
 * with folders of the caller mounted; under a rootless engine that is user 0.
 */
export function usersOf({ caller }: Pick<BuildInput, 'caller'>): readonly string[] {
  return [...new Set([IMAGE_USER, '0:0', ...(caller === undefined ? [] : [caller])])];
}

/** Returns the instruction that adds the users of an image to it. */
export function usersLine(input: Pick<BuildInput, 'caller'>): string {
  return scriptLine(['set -eu', ...ADD_USERS, 'portolan_users "$@"'], ['', ...usersOf(input)]);
}
