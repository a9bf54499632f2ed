import { HOSTS, type PortolanError } from '@portolan/plugin-api';
import { describeValue, oneOf } from '../faults/describe-value.ts';

/** Says what is wrong with a kind. */
export type Fault = (what: string) => PortolanError;

/** A part of a kind by its name. A kind may be an instance of a class: its parts are then not its own. */
export type PartOf = (name: string) => unknown;

/** Looks at what is special to the kinds of one list. Throws the first fault. */
export type CheckShape = (part: PartOf, fault: Fault) => void;

/** Throws when a part is none of the texts that it may be; `orElse` ends the list of them. */
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

/** Throws when `hosts` is no list of hosts, or an empty one. */
export function checkHosts(part: PartOf, fault: Fault): void {
  const hosts = part('hosts');
  const known: readonly unknown[] = HOSTS;
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every((host) => known.includes(host))) {
    throw fault(`"hosts" is no list of ${oneOf(HOSTS)}`);
  }
}
