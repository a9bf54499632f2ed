import { HOSTS, type PortolanError } from '@portolan/plugin-api';
import { describeValue, oneOf } from '../faults/describe-value.ts';

export type Fault = (what: string) => PortolanError;

/**
 * Returns a property of a kind by name. The property may be inherited, because a kind may be an instance of a
 * class.
 */
export type PartOf = (name: string) => unknown;

/** Validates the properties that only kinds of one list have. Throws the first fault. */
export type CheckShape = (part: PartOf, fault: Fault) => void;

export function checkChoice(
  part: PartOf,
  name: string,
  choices: readonly string[],
  fault: Fault,
  orElse = '',
): void {
  const value = part(name);
  if (typeof value !== 'string' || !choices.includes(value)) {
    throw fault(`"${name}" is ${describeValue(value)}, not ${oneOf(choices)}${orElse}`);
  }
}

export function checkHosts(part: PartOf, fault: Fault): void {
  const hosts = part('hosts');
  const known: readonly unknown[] = HOSTS;
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every((host) => known.includes(host))) {
    throw fault(`"hosts" is no list of ${oneOf(HOSTS)}`);
  }
}
