import type { ResourceClaims } from '@portolan/plugin-api';
import { findLabelFault, maySee } from './actor-decisions.ts';
import { madeBefore, madeByFile, registryNotFound, sourceNotFound } from './admin-errors.ts';
import type { Actor, WriteOptions } from './registry-admin.ts';
import { requireRevision } from './require-revision.ts';
import { type PlacedFault, severalFaults } from './several-faults.ts';

/** The stored source or registry of this name. */
interface Before {
  readonly creationType: 'CONFIG' | 'API';
  readonly claims: ResourceClaims;
  readonly revision: string;
}

/** Definition in the request, as far as it could be parsed. */
export interface AskedPut {
  readonly what: 'source' | 'registry';
  readonly name: string;
  /** Undefined when they could not be parsed; a fault reports that. */
  readonly claims: ResourceClaims | undefined;
}

/** Faults found by earlier checks, in the order in which the error reports them. */
export interface KnownFaults {
  /** Faults of the definition itself. */
  readonly ofDefinition?: readonly PlacedFault[];
  /** Faults of the resources that the definition names. */
  readonly ofNames?: readonly PlacedFault[];
}

/**
 * Throws one error with every reason why a source or registry cannot be stored. The checks, in order:
 * - the configuration file defines it, and the actor may see it;
 * - faults of the definition;
 * - claims that the actor may not set;
 * - hidden, only when nothing else was found, so that a hidden name and a free name yield the same faults;
 * - faults of the resources that it names;
 * - the name is taken.
 *
 * The precondition (`ifMatch`) is checked last, as HTTP requires: a request that would be refused anyway is
 * refused for that reason.
 */
export function judgePut(
  actor: Actor,
  { what, name, claims }: AskedPut,
  before: Before | undefined,
  { ofDefinition = [], ofNames = [] }: KnownFaults,
  options: WriteOptions,
): void {
  const absent = what === 'source' ? sourceNotFound : registryNotFound;
  const called = `The ${what} "${name}"`;
  const seen = before !== undefined && maySee(actor, before) ? before : undefined;
  const isOfFile = seen?.creationType === 'CONFIG';
  const beyond = claims === undefined ? undefined : findLabelFault(actor, claims);
  const ofRequest = [...ofDefinition, ...(beyond === undefined ? [] : [{ path: 'claims', error: beyond }])];
  if (before !== undefined && seen === undefined && ofRequest.length === 0) throw absent(name);
  const isTaken = options.ifAbsent === true && seen !== undefined && !isOfFile;
  const fault = severalFaults([
    ...(isOfFile ? [{ path: 'name', error: madeByFile(what, name) }] : []),
    ...ofRequest,
    ...ofNames,
    ...(isTaken ? [{ path: 'name', error: madeBefore(called) }] : []),
  ]);
  if (fault !== undefined) throw fault;
  if (before === undefined && options.ifMatch !== undefined) throw absent(name);
  requireRevision(before?.revision, called, options);
}
