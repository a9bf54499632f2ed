import { printable } from '../printable.ts';

/**
 * Formats a line of a workload's network log: time, result, request, the rule that decided, and the reason.
 * Returns any other line unchanged.
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
    return undefined; // truncated, or not written by Portolan
  }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
