import { stripVTControlCharacters } from 'node:util';

const LONGEST = 160;
/** Notes about the builder's own images and containers. */
const OF_BUILDER = /^(?: ---> |Removing intermediate container |Successfully (?:built|tagged) )/;

/** Omits colours and the builder's notes, and truncates multi-line scripts. */
export function readableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '' && !OF_BUILDER.test(line))
    .map((line) => (/^Step \d+\//.test(line) ? shortened(line) : line));
}

/** Omits the script that failed. */
export function readableReason(reason: string): string {
  const text = stripVTControlCharacters(reason).trim();
  const [, command, outcome] = /^The command '(.*)' (returned a non-zero code: \d+)\.?$/s.exec(text) ?? [];
  if (command === undefined || outcome === undefined) return text.replace(/\.$/, '');
  return `The command '${shortened(command)}' ${outcome}`;
}

function shortened(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > LONGEST || first !== text ? `${first.slice(0, LONGEST)}…` : text;
}
