import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { dockerClientFolder, readDockerClientConfig } from '../engine/docker-client-config.ts';
import type { StoredAuth } from '../engine/docker-client-config.ts';
import { readContainersAuths } from '../engine/docker-client-config.ts';
import type { EngineContext } from '../engine/engine-candidates.ts';
import { credentialHelperFailed } from '../errors.ts';
import type { ImageReference } from './image-reference.ts';

export type RegistryCredentials =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string };

const HUB_KEY = 'https://index.docker.io/v1/';
const HELPER_MS = 30_000;
/** User name by which credential helpers mark an identity token. */
const TOKEN_USER = '<token>';

/**
 * Throws ERR_IMAGE_CREDENTIALS when a credential helper fails. Sources, in order:
 * - `REGISTRY_<HOST>_USERNAME` and `_PASSWORD`, with the host in upper case and `_` for `.`, `-` and `:`
 * - `REGISTRY_USERNAME` and `REGISTRY_PASSWORD`
 * - Docker's `config.json` with its credential helpers
 * - Podman's `auth.json`
 */
export async function findCredentials(
  reference: ImageReference,
  context: EngineContext,
): Promise<RegistryCredentials | undefined> {
  const { environment, home } = context;
  const address = reference.registry === 'docker.io' ? HUB_KEY : reference.registry;
  const fromEnvironment = readEnvironment(reference.registry, environment);
  if (fromEnvironment !== undefined) return { ...fromEnvironment, serveraddress: address };
  const config = await readDockerClientConfig(dockerClientFolder(environment, home));
  const helper = config.helpers[reference.registry] ?? config.helpers[address] ?? config.store;
  if (helper !== undefined) {
    const registryCredentials = await askHelper(helper, address, environment);
    if (registryCredentials !== undefined) return registryCredentials;
  }
  const stored = findStored(config.auths, reference) ?? (await findPodmanAuth(reference, context));
  return stored === undefined ? undefined : decodeStored(stored, address);
}

type Environment = EngineContext['environment'];

function readEnvironment(
  registry: string,
  environment: Environment,
): { readonly username: string; readonly password: string } | undefined {
  const host = registry.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  for (const prefix of [`REGISTRY_${host}`, 'REGISTRY']) {
    const username = environment[`${prefix}_USERNAME`];
    const password = environment[`${prefix}_PASSWORD`];
    if (username && password) return { username, password };
  }
  return undefined;
}

/**
 * Returns the stored credentials of the registry, or those of the longest matching path, which Podman also
 * stores.
 */
function findStored(
  auths: Readonly<Record<string, StoredAuth>>,
  { registry, repository }: ImageReference,
): StoredAuth | undefined {
  const byPlace = new Map(Object.entries(auths).map(([key, auth]) => [placeOf(key), auth]));
  const path = `${registry}/${repository}`.split('/');
  for (let length = path.length; length > 0; length -= 1) {
    const storedAuth = byPlace.get(path.slice(0, length).join('/'));
    if (storedAuth?.auth !== undefined || storedAuth?.identityToken !== undefined) return storedAuth;
  }
  return undefined;
}

/**
 * Normalizes a registry key: removes scheme and API version, and replaces old keys of Docker Hub with its
 * current name.
 */
function placeOf(key: string): string {
  const place = key.replace(/^https?:\/\//, '').replace(/\/(?:v[12]\/?)?$/, '');
  return place === 'index.docker.io' || place === 'registry-1.docker.io' ? 'docker.io' : place;
}

async function findPodmanAuth(
  reference: ImageReference,
  { environment, home }: EngineContext,
): Promise<StoredAuth | undefined> {
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  const files = [
    environment['REGISTRY_AUTH_FILE'],
    runtimeFolder && join(runtimeFolder, 'containers/auth.json'),
    join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'containers/auth.json'),
  ];
  for (const file of files) {
    const storedAuth = file ? findStored(await readContainersAuths(file), reference) : undefined;
    if (storedAuth !== undefined) return storedAuth;
  }
  return undefined;
}

function decodeStored(
  { auth, identityToken }: StoredAuth,
  serveraddress: string,
): RegistryCredentials | undefined {
  if (identityToken !== undefined) return { identitytoken: identityToken, serveraddress };
  const text = Buffer.from(auth ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  // Old Docker clients pad the password with zero bytes.
  return {
    username: text.slice(0, colon),
    password: text.slice(colon + 1).replace(/\0+$/, ''),
    serveraddress,
  };
}

/**
 * Runs `docker-credential-NAME get`. Returns undefined when the helper has no credentials for the registry.
 */
async function askHelper(
  helper: string,
  address: string,
  environment: Environment,
): Promise<RegistryCredentials | undefined> {
  if (!/^[\w.-]+$/.test(helper)) throw credentialHelperFailed(helper, 'its name is not a file name');
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const child = execFile(
    `docker-credential-${helper}`,
    ['get'],
    { timeout: HELPER_MS, env: environment },
    (error, output) => {
      if (error === null) resolve(output);
      else if (/credentials not found/i.test(output)) resolve(undefined);
      else reject(credentialHelperFailed(helper, reasonOf(error, output), error));
    },
  );
  // Ignores the broken pipe of a helper that ends without reading. Its exit status reports the failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(address);
  const output = await promise;
  return output === undefined ? undefined : parseHelper(helper, output, address);
}

function reasonOf(error: Error & { readonly code?: unknown }, output: string): string {
  if (error.code === 'ENOENT') return `there is no docker-credential-… program of that name`;
  return output.trim().slice(0, 200) || 'it ended with an error';
}

function parseHelper(helper: string, output: string, serveraddress: string): RegistryCredentials | undefined {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    // The error omits the helper's output, which may contain a password.
    throw credentialHelperFailed(
      helper,
      'its response is not JSON',
      error instanceof SyntaxError ? undefined : error,
    );
  }
  if (typeof value !== 'object' || value === null || !('Username' in value) || !('Secret' in value)) {
    throw credentialHelperFailed(helper, 'its response has no Username and Secret');
  }
  const { Username: username, Secret: secret } = value;
  if (typeof username !== 'string' || typeof secret !== 'string' || secret === '') return undefined;
  if (username === TOKEN_USER) return { identitytoken: secret, serveraddress };
  return { username, password: secret, serveraddress };
}
