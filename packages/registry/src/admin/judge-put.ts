import type { ResourceClaims } from '@portolan/plugin-api';
import { findLabelFault, maySee } from './actor-decisions.ts';
import { madeBefore, madeByFile, registryNotFound, sourceNotFound } from './admin-errors.ts';
import type { Actor, WriteOptions } from './registry-admin.ts';
import { requireRevision } from './require-revision.ts';
import { type PlacedFault, severalFaults } from './several-faults.ts';

/** A source or a registry that is there under the name. */
interface Before {
  readonly creationType: 'CONFIG' | 'API';
  readonly claims: ResourceClaims;
  readonly revision: string;
}

/** What is to be put, as far as it can be read. */
export interface AskedPut {
  readonly what: 'source' | 'registry';
  readonly name: string;
  /** undefined: they cannot be read, and were told as a fault. */
  readonly claims: ResourceClaims | undefined;
}

/** Faults that others have found, in the order in which they are told. */
export interface KnownFaults {
  /** Of the definition alone. */
  readonly ofDefinition?: readonly PlacedFault[];
  /** Of what it names. */
  readonly ofNames?: readonly PlacedFault[];
}

/**
 * Throws what keeps a source or registry from being put, all of it as one error. In order: made by the configuration
 * file, where the actor may see it; the definition; claims beyond the actor; hidden, and only where nothing was found so
 * far, so that other faults of a request are the same for a name that is hidden as for one that nobody has; what the
 * definition names; taken. The state that `ifMatch` asks for is looked at last, as HTTP has it: a request that could
 * not be granted anyway is refused for that, whatever state it is for.
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
