import { type DefinitionDigest, digestDefinition, digestValue } from '../digest/definition-digest.ts';
import type { Contents, LockedItem, LockedWorkload, Resolved, Signer } from '../file/lock-file.ts';
import type { ListKind } from './difference.ts';
import { type DefinitionList, readItems } from './read-items.ts';

/** Digest that was approved, and the canonical JSON behind it if it is known. */
export interface ApprovedValue {
  readonly digest: string;
  readonly json?: string | undefined;
}

/** Definitions to compare with: of a lock file, of a registry entry, or of the first lists of a server. */
export interface Baseline {
  /** Approved items by name. Items of an undefined list are not compared. */
  readonly tools?: ReadonlyMap<string, ApprovedValue> | undefined;
  readonly prompts?: ReadonlyMap<string, ApprovedValue> | undefined;
  readonly templates?: ReadonlyMap<string, ApprovedValue> | undefined;
  /** Response to `initialize` or `server/discover`. Not compared if undefined. */
  readonly server?: ApprovedServer | undefined;
  /** Package or image; `null` if a lock file has none. Not compared if undefined. */
  readonly resolved?: Resolved | null | undefined;
  /** Not compared if undefined: a lock file without a signer makes no statement. */
  readonly signer?: Signer | undefined;
}

export interface ApprovedServer {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly revisions?: readonly string[] | undefined;
  readonly capabilities: ApprovedValue;
  /** Undefined for a server without instructions. */
  readonly instructions?: ApprovedValue | undefined;
}

/** Definitions that a server sends, and the package or image that runs. An undefined part is not compared. */
export interface CurrentDefinitions {
  readonly tools?: DefinitionList | undefined;
  readonly prompts?: DefinitionList | undefined;
  readonly templates?: DefinitionList | undefined;
  readonly server?: CurrentServer | undefined;
  readonly resolved?: Resolved | undefined;
  /** `null` for an image without a signature. */
  readonly signer?: Signer | null | undefined;
}

/** The response to `initialize` or `server/discover`. */
export interface CurrentServer {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Not compared if undefined: the response to `initialize` names one revision only. */
  readonly revisions?: readonly string[] | undefined;
  readonly capabilities: unknown;
  /** Undefined for a server without instructions. */
  readonly instructions?: unknown;
}

/** Member of a baseline and of current definitions that holds the items of a kind. */
export const LISTS = { tool: 'tools', prompt: 'prompts', template: 'templates' } as const;

/** Returns what a lock file approves, as a baseline. */
export function baselineOf(workload: LockedWorkload, contents: Contents): Baseline {
  const valueOf = (digest: string): ApprovedValue => ({ digest, json: contents.get(digest) });
  const itemsOf = (items: ReadonlyMap<string, LockedItem>): ReadonlyMap<string, ApprovedValue> =>
    new Map([...items].map(([name, { digest }]) => [name, valueOf(digest)]));
  const { name, version, revisions, capabilities, instructions } = workload.server;
  return {
    tools: itemsOf(workload.tools),
    prompts: itemsOf(workload.prompts),
    templates: itemsOf(workload.templates),
    server: {
      name,
      version,
      revisions,
      capabilities: valueOf(capabilities),
      instructions: instructions === undefined ? undefined : valueOf(instructions),
    },
    resolved: workload.resolved ?? null,
    signer: workload.signer,
  };
}

/** Definition that cannot be part of a baseline. */
export interface DefinitionFault {
  readonly kind: ListKind | 'instructions' | 'capabilities';
  readonly name: string;
  /** Clause: "it has no name". */
  readonly fault: string;
}

/** Returns definitions as a baseline, without those that have a fault, and the faults. */
export function takeBaseline(current: CurrentDefinitions): {
  readonly baseline: Baseline;
  readonly faults: readonly DefinitionFault[];
} {
  const faults: DefinitionFault[] = [];
  const take = (kind: ListKind): ReadonlyMap<string, ApprovedValue> | undefined => {
    const list = current[LISTS[kind]];
    return list === undefined ? undefined : takeList(kind, list, faults);
  };
  const baseline: Baseline = {
    tools: take('tool'),
    prompts: take('prompt'),
    templates: take('template'),
    server: current.server === undefined ? undefined : takeServer(current.server, faults),
    resolved: current.resolved,
    signer: current.signer ?? undefined,
  };
  return { baseline, faults };
}

function takeList(
  kind: ListKind,
  list: DefinitionList,
  faults: DefinitionFault[],
): ReadonlyMap<string, ApprovedValue> {
  const approved = new Map<string, ApprovedValue>();
  const faulty = new Set<string>();
  for (const { name, value, fault } of readItems(kind, list)) {
    const result: DefinitionDigest = fault === undefined ? digestDefinition(value) : { fault };
    const known = approved.get(name);
    if ('digest' in result && (known === undefined || known.digest === result.digest))
      approved.set(name, result);
    else {
      faulty.add(name);
      faults.push({ kind, name, fault: 'fault' in result ? result.fault : REPEATED });
    }
  }
  for (const name of faulty) approved.delete(name);
  return approved;
}

/** Fault of items with one name and different definitions. */
export const REPEATED = 'another item of the list has this name and a different definition';

function takeServer(server: CurrentServer, faults: DefinitionFault[]): ApprovedServer | undefined {
  const { name, version, revisions } = server;
  const capabilities = digestValue(server.capabilities);
  const instructions = hasInstructions(server) ? digestValue(server.instructions) : undefined;
  if ('fault' in capabilities) faults.push({ kind: 'capabilities', name: '', fault: capabilities.fault });
  if (instructions !== undefined && 'fault' in instructions)
    faults.push({ kind: 'instructions', name: '', fault: instructions.fault });
  if ('fault' in capabilities || (instructions !== undefined && 'fault' in instructions)) return undefined;
  return { name, version, revisions: revisions?.toSorted(), capabilities, instructions };
}

export function hasInstructions({ instructions }: CurrentServer): boolean {
  return instructions !== undefined && instructions !== null;
}
