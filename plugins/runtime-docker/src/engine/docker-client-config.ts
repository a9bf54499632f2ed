import { isJsonObject } from '@portolan/plugin-api';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientFileInvalid, contextUnusable } from '../errors.ts';
import type { EngineAddress, EngineTls } from './engine-address.ts';
import { parseEngineAddress } from './engine-address.ts';

/** Settings in Docker's `config.json` that concern engines and images. */
export interface DockerClientConfig {
  readonly currentContext: string | undefined;
  /** Credentials by registry: user and password in base64, or an identity token. */
  readonly auths: Readonly<Record<string, StoredAuth>>;
  readonly helpers: Readonly<Record<string, string>>;
  /** Name of the credential helper for all other registries. */
  readonly store: string | undefined;
}

export interface StoredAuth {
  readonly auth: string | undefined;
  readonly identityToken: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

export function dockerClientFolder(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  return environment['DOCKER_CONFIG'] || join(home, '.docker');
}

/**
 * Reads `config.json`. Returns an empty configuration when the file is missing. Throws ERR_RUNTIME_ADDRESS
 * when it is not a JSON object.
 */
export async function readDockerClientConfig(folder: string): Promise<DockerClientConfig> {
  const file = join(folder, 'config.json');
  const text = await readIfThere(file);
  const values = text === undefined ? {} : parseObject(text, file);
  const helpers = Object.entries(objectOf(values['credHelpers'])).flatMap(([registry, value]) =>
    typeof value === 'string' ? [[registry, value] as const] : [],
  );
  return {
    currentContext: textOf(values['currentContext']),
    auths: authsOf(values),
    helpers: Object.fromEntries(helpers),
    store: textOf(values['credsStore']),
  };
}

/** Reads the credentials in a Podman `auth.json`. Returns an empty object when the file is missing. */
export async function readContainersAuths(file: string): Promise<Readonly<Record<string, StoredAuth>>> {
  const text = await readIfThere(file);
  return text === undefined ? {} : authsOf(parseObject(text, file));
}

function authsOf(values: Values): Readonly<Record<string, StoredAuth>> {
  const auths = Object.entries(objectOf(values['auths'])).map(([registry, value]) => {
    const stored = objectOf(value);
    return [
      registry,
      { auth: textOf(stored['auth']), identityToken: textOf(stored['identitytoken']) },
    ] as const;
  });
  return Object.fromEntries(auths);
}

/**
 * Returns the engine address of a Docker context. Throws ERR_RUNTIME_ADDRESS for an unknown context or one
 * without an address.
 */
export async function readDockerContext(folder: string, name: string, from: string): Promise<EngineAddress> {
  const place = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', place, 'meta.json');
  const text = await readIfThere(file);
  if (text === undefined) throw contextUnusable(name, from, `is not in "${join(folder, 'contexts')}"`);
  const endpoint = objectOf(objectOf(parseObject(text, file)['Endpoints'])['docker']);
  const host = textOf(endpoint['Host']);
  if (host === undefined) throw contextUnusable(name, from, 'has no Docker engine address');
  const tls = await readTls(
    join(folder, 'contexts', 'tls', place, 'docker'),
    endpoint['SkipTLSVerify'] !== true,
  );
  return parseEngineAddress(host, `the Docker context "${name}"`, tls);
}

/** Reads `ca.pem`, `cert.pem` and `key.pem` in a folder; undefined when it has none of them. */
export async function readTls(folder: string, verify: boolean): Promise<EngineTls | undefined> {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'cert.pem', 'key.pem'].map((name) => readIfThere(join(folder, name))),
  );
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  return { ca, cert, key, verify };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw clientFileInvalid(file, `it cannot be read (${String(code)})`, error);
  }
}

function parseObject(text: string, file: string): Values {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw clientFileInvalid(file, 'it is not JSON', error);
  }
  throw clientFileInvalid(file, 'it is not a JSON object', undefined);
}

function objectOf(value: unknown): Values {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
