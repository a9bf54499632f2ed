import type { User } from '@kubernetes/client-node';
import type { JsonObject } from '@portolan/plugin-api';
import { textOf } from '../objects/cluster-object.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import { readPem } from './read-pem.ts';
import { readSmallFile } from './read-small-file.ts';

const EXPECTED = 'a user with token, tokenFile, client-certificate and client-key, or username and password';

/** Fields of a user that are refused, because they run programs or would change the user. */
const REFUSED: Readonly<Record<string, string>> = {
  exec: 'a user that logs in with a program (exec), which is not started',
  'auth-provider': 'a user that logs in with a plugin (auth-provider), which is not loaded',
  'as-uid': 'a user that acts as another one with as-uid, which is not done',
  'as-groups': 'a user that acts as another one with as-groups, which is not done',
  'as-user-extra': 'a user that acts as another one with as-user-extra, which is not done',
};

/** Throws `KubeconfigFault`, which shows no secret. */
export function readUser(user: JsonObject, pathOf: (file: string) => string): User {
  for (const [key, match] of Object.entries(REFUSED))
    if (user[key] !== undefined && user[key] !== null)
      throw new KubeconfigFault('kubeconfig', match, EXPECTED);
  const token = readToken(user, pathOf);
  const certData = readPem(user, 'client-certificate', pathOf);
  const keyData = readPem(user, 'client-key', pathOf);
  if ((certData === undefined) !== (keyData === undefined)) {
    const match =
      certData === undefined
        ? 'a client-key without client-certificate'
        : 'a client-certificate without client-key';
    throw new KubeconfigFault('kubeconfig', match, 'both, or neither');
  }
  const username = textOf(user['username']);
  const password = textOf(user['password']);
  const impersonateUser = textOf(user['as']);
  return {
    name: 'user',
    ...(token === undefined ? {} : { token }),
    ...(certData === undefined ? {} : { certData }),
    ...(keyData === undefined ? {} : { keyData }),
    ...(username === undefined || token !== undefined ? {} : { username, password: password ?? '' }),
    ...(impersonateUser === undefined ? {} : { impersonateUser }),
  };
}

function readToken(user: JsonObject, pathOf: (file: string) => string): string | undefined {
  const file = textOf(user['tokenFile']);
  const token = file === undefined ? textOf(user['token']) : readTokenFile(pathOf(file));
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new KubeconfigFault(
      'kubeconfig',
      'a token that no header can carry',
      'one line of visible characters',
    );
  return token;
}

function readTokenFile(file: string): string {
  try {
    const token = readSmallFile(file).trim();
    if (token !== '') return token;
  } catch (cause) {
    throw new KubeconfigFault('kubeconfig', 'a tokenFile that cannot be read', 'a file with a token', cause);
  }
  throw new KubeconfigFault('kubeconfig', 'a tokenFile that is empty', 'a file with a token');
}
