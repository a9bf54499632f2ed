import { printable } from '../printable.ts';

/**
 * One line of a workload's network log, as a person reads it: when, what became
 * of it, what was asked for, which rule decided, and why. A line that is no
 * such document is handed back as it is.
 */
export function formatNetworkLine(line: string): string {
  const event = parse(line);
  if (event === undefined) return printable(line);
  const { at, time, allowed, method, host, port, rule, text, via, failure } = event;
  const where = port === undefined || port === null ? shown(host) : `${shown(host)}:${shown(port)}`;
  const parts = [
    shown(at ?? time),
    allowed === true ? 'allowed' : 'denied',
    shown(method),
    where,
    rule === undefined ? '' : `rule ${shown(rule)}`,
    via === undefined ? '' : `via ${shown(via)}`,
    failure === undefined ? '' : `failed: ${shown(failure)}`,
    text === undefined ? '' : `(${shown(text)})`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'host' in value ? { ...value } : undefined;
  } catch {
    return undefined; // cut off, or not of ours
  }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
