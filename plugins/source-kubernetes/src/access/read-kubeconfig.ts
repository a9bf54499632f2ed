import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Cluster, User } from '@kubernetes/client-node';
import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { parse, YAMLParseError } from 'yaml';
import { mapOf, textOf } from '../objects/cluster-object.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import { readCluster } from './read-cluster.ts';
import { MAX_BYTES, readSmallFile } from './read-small-file.ts';
import { readUser } from './read-user.ts';

const MAX_NAMES = 10;

/** How to connect to one cluster, as one user. */
export interface Access {
  readonly cluster: Cluster;
  readonly user: User;
}

export interface KubeconfigLocation {
  /** Path as configured, for messages. */
  readonly shown: string;
  /** Absolute path of the kubeconfig. */
  readonly file: string;
  readonly context: string | undefined;
}

/**
 * Reads a kubeconfig synchronously, without connecting or starting a program. Rejects a user whose login runs
 * a program (`exec`, `auth-provider`). Throws `KubeconfigFault`.
 */
export function readKubeconfig({ shown, file, context }: KubeconfigLocation): Access {
  const config = parseKubeconfig(readText(file, shown), shown);
  const chosen = chooseContext(config, context);
  const { cluster, user } = mapOf(itemOf(config, 'contexts', chosen)?.['context']);
  const from = (named: string): string => resolve(dirname(file), named);
  return {
    cluster: readCluster(partOf(config, 'cluster', cluster, chosen), from),
    user: readUser(partOf(config, 'user', user, chosen), from),
  };
}

function readText(file: string, shown: string): string {
  const faultOf = (what: string, cause?: unknown): KubeconfigFault =>
    new KubeconfigFault('kubeconfig', `${JSON.stringify(shown)}, ${what}`, 'a kubeconfig file', cause);
  let stats;
  try {
    stats = statSync(file);
  } catch (cause) {
    throw faultOf('which does not exist', cause);
  }
  if (!stats.isFile()) throw faultOf(stats.isDirectory() ? 'which is a folder' : 'which is not a file');
  if (stats.size > MAX_BYTES) throw faultOf(`which has more than ${MAX_BYTES} bytes`);
  try {
    return readSmallFile(file);
  } catch (cause) {
    throw faultOf('which cannot be read', cause);
  }
}

function parseKubeconfig(text: string, shown: string): JsonObject {
  const faultOf = (what: string): KubeconfigFault =>
    new KubeconfigFault('kubeconfig', `${JSON.stringify(shown)}, which holds ${what}`, 'a kubeconfig file');
  let config: unknown;
  try {
    config = parse(text);
  } catch (error) {
    // Shows only the line number: the parser's message shows the line, which may contain a token.
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    throw faultOf(line === undefined ? 'text that is no YAML' : `text that is no YAML (line ${line})`);
  }
  if (!isJsonObject(config) || !Array.isArray(config['contexts']))
    throw faultOf('something else: no list of contexts');
  return config;
}

function chooseContext(config: JsonObject, requested: string | undefined): string {
  const names = namesIn(config, 'contexts');
  const known =
    names.length === 0 ? 'a context of the kubeconfig, which has none' : `one of ${quoted(names)}`;
  if (requested !== undefined) {
    if (names.includes(requested)) return requested;
    throw new KubeconfigFault('context', JSON.stringify(requested), known);
  }
  const current = textOf(config['current-context']);
  if (current !== undefined && names.includes(current)) return current;
  const match =
    current === undefined
      ? 'nothing, and a kubeconfig without current-context'
      : `nothing, and a kubeconfig whose current-context is ${JSON.stringify(current)}, which it does not have`;
  throw new KubeconfigFault('context', match, known);
}

function partOf(config: JsonObject, what: 'cluster' | 'user', name: unknown, context: string): JsonObject {
  const item = typeof name === 'string' ? itemOf(config, `${what}s`, name) : undefined;
  if (item !== undefined) return mapOf(item[what]);
  const value =
    typeof name === 'string'
      ? `a context ${JSON.stringify(context)} whose ${what} ${JSON.stringify(name)} is not in the file`
      : `a context ${JSON.stringify(context)} without a ${what}`;
  throw new KubeconfigFault('kubeconfig', value, `a ${what} of the same file`);
}

function itemOf(config: JsonObject, list: string, name: string): JsonObject | undefined {
  return itemsIn(config, list).find((item) => item['name'] === name);
}

function namesIn(config: JsonObject, list: string): readonly string[] {
  return itemsIn(config, list).flatMap((item) => textOf(item['name']) ?? []);
}

function itemsIn(config: JsonObject, list: string): readonly JsonObject[] {
  const items = config[list];
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(name));
  return [...shown, ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ');
}
