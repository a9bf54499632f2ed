import { stripVTControlCharacters } from 'node:util';

const LONGEST = 160;
/** Matches the classic builder's notes about its own images and containers. */
const OF_BUILDER = /^(?: ---> |Removing intermediate container |Successfully (?:built|tagged) )/;

/**
 * Returns the informative lines of a build's output: without colours and the builder's notes, and with
 * multi-line scripts truncated.
 */
export function readableLines(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split(/\r\n|[\r\n]/)
    .filter((line) => line.trim() !== '' && !OF_BUILDER.test(line))
    .map((line) => (/^Step \d+\//.test(line) ? shortened(line) : line));
}

/** Returns the reason why a build failed, without the text of the failed script. */
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
