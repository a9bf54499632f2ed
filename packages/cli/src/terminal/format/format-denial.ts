import type { Denial } from '@portolan/plugin-api';
import { printable, printableLines } from '../printable.ts';

export function formatDenial(denial: Denial): string {
  const { id, at, workload, caller, asked, because, policy, saw } = denial;
  const values = Object.entries(saw).map(
    ([name, value]) => `  ${printable(`${name}: ${JSON.stringify(value)}`)}`,
  );
  return [
    `${printable(caller ?? 'nobody')} was denied ${printable(asked)}`,
    ...because.map(printable),
    ...(policy === undefined
      ? []
      : ['', `${printable(policy.place)}:`, indented(printableLines(policy.text))]),
    ...(values.length === 0 ? [] : ['', 'It saw:', ...values]),
    '',
    `${printable(workload)}, ${printable(at)}, ${printable(id)}`,
  ].join('\n');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
