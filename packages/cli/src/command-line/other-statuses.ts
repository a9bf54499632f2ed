/** What a command's manual page says of what it ends with beside the usual. The build reads it before anything is built. */
export const OTHER_STATUSES: ReadonlyMap<string, string> = new Map([
  ['authz:test', '3: it is denied.'],
  ['run', 'With --foreground it ends as the container does. 130 and 143: it was stopped by a signal.'],
  ['update', '3: with --check, there is something newer. 130 and 143: it was stopped by a signal.'],
]);
