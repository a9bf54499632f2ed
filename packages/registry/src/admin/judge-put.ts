import type { ResourceClaims } from '@portolan/plugin-api';
import { findLabelFault, maySee } from './actor-decisions.ts';
import { madeBefore, madeByFile, registryNotFound, sourceNotFound } from './admin-errors.ts';
import type { Actor, WriteOptions } from './registry-admin.ts';
import { requireRevision } from './require-revision.ts';
import { type PlacedFault, severalFaults } from './several-faults.ts';

interface Before {
  readonly creationType: 'CONFIG' | 'API';
  readonly claims: ResourceClaims;
  readonly revision: string;
}

export interface PutRequest {
  readonly what: 'source' | 'registry';
  readonly name: string;
  /** Claims in the request. Undefined when they could not be parsed, which a fault reports. */
  readonly claims: ResourceClaims | undefined;
}

/** Faults found by earlier checks, in the order in which the error reports them. */
export interface KnownFaults {
  readonly ofDefinition?: readonly PlacedFault[];
  readonly ofNames?: readonly PlacedFault[];
}

/**
 * Throws one error with every reason. The checks, in order:
 * - the configuration file defines it, and the actor may see it;
 * - faults of the definition;
 * - claims that the actor may not set;
 * - hidden, only when nothing else was found, so that a hidden name and a free name yield the same faults;
 * - faults of the resources that it names;
 * - the name is taken.
 * HTTP requires that the precondition (`ifMatch`) comes last.
 */
export function judgePut(
  actor: Actor,
  { what, name, claims }: PutRequest,
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
