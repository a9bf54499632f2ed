import { HOSTS, type PortolanError } from '@portolan/plugin-api';
import { describeValue, oneOf } from '../faults/describe-value.ts';

/** Creates the error for a fault of a kind. */
export type Fault = (what: string) => PortolanError;

/**
 * Returns a part of a kind by its name. A kind may be an instance of a class, so its parts may be inherited.
 */
export type PartOf = (name: string) => unknown;

/** Validates the parts that only kinds of one list have. Throws the first fault. */
export type CheckShape = (part: PartOf, fault: Fault) => void;

/** Throws when a part is not one of the allowed strings. `orElse` ends the list of them in the message. */
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

/** Throws when `hosts` is not a non-empty list of hosts. */
export function checkHosts(part: PartOf, fault: Fault): void {
  const hosts = part('hosts');
  const known: readonly unknown[] = HOSTS;
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every((host) => known.includes(host))) {
    throw fault(`"hosts" is no list of ${oneOf(HOSTS)}`);
  }
}
