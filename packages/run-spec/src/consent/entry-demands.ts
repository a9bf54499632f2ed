import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '../run-config/run-config.ts';
import { describeForm } from '../registry-entry/describe-form.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import { findSecretInHost, secretInputNames } from '../registry-entry/fill-server-settings.ts';
import { type EntryInput, fillTemplate, type Template } from '../registry-entry/entry-input.ts';
import { fillRuntime } from '../registry-entry/fill-runtime.ts';
import { toEntryVolumes } from '../settings/entry-runtime.ts';
import { entryAuth } from '../settings/entry-auth.ts';
import { isReservedSecret } from '../parse/reserved-secret.ts';
import { findDemands } from './find-demands.ts';
import type { ConsentFacts, Demands, Refusal } from './grant.ts';

/** Values that a run takes from its registry entry, without settings that the user overrides. */
export interface EntryUse {
  readonly server: ServerSettings;
  readonly usesPermissions: boolean;
  readonly usesNetworkMode: boolean;
  /** Remote URL with all inputs filled in. */
  readonly url: string | undefined;
  /** Login settings of the remote server, in the names of the run config. */
  readonly login: JsonObject;
  /** Names of stored secrets that fill inputs. */
  readonly secrets: readonly string[];
  /** Volumes whose host path is from the entry. */
  readonly volumes: readonly string[];
}

export function findEntryDemands(use: EntryUse, facts: ConsentFacts): Demands {
  const { server, usesPermissions, usesNetworkMode, url, login, secrets, volumes } = use;
  const { permissions } = server;
  const network = permissions?.network;
  const part: Partial<RunConfig> = {
    ...(permissions === undefined || !usesPermissions
      ? {}
      : {
          permission_profile: {
            ...permissions,
            ...(network === undefined
              ? {}
              : { network: usesNetworkMode ? network : { ...network, mode: '' } }),
          },
        }),
    ...(url === undefined ? {} : { remote_url: url, remote_auth_config: login }),
    run_target: server.runs.form === 'package' ? describeForm(server.runs) : '',
    image: server.runs.form === 'image' ? server.runs.image : '',
    header_forward: {
      add_plaintext_headers: Object.fromEntries(server.headers.map(({ name }) => [name, ''])),
      add_headers_from_secret:
        url === undefined ? {} : Object.fromEntries(secrets.map((name) => [name, name])),
    },
    volumes: [...volumes],
    secrets: url === undefined ? secrets.map((name) => `${name},target=${name}`) : [],
  };
  return findDemands(part, 'entry', facts);
}

/** Facts about a typical machine, used to preview an entry for other machines. */
const USUAL_MACHINE: ConsentFacts = {
  home: '/home/user',
  workingDirectory: '/home/user',
  ownFolders: [],
  engineSockets: ['/var/run/docker.sock', '/run/docker.sock', '/run/podman/podman.sock'],
  stateFolder: undefined,
  realPath: (path) => path,
  isSocket: () => false,
  moduleFolder: (folder) => folder,
  addressesOf: () => [],
};

/**
 * Returns the grants that an entry needs for a run without flags on a typical machine. It includes a secret
 * of the user only if the store has one of that name. Pure.
 */
export function previewEntryDemands(server: ServerSettings): Demands {
  const url = server.runs.form === 'remote' ? fillUsual(server.runs.url) : undefined;
  const { grants, refusals } = findEntryDemands(
    {
      server,
      usesPermissions: true,
      usesNetworkMode: true,
      url,
      login: url === undefined ? {} : entryAuth(server.oauthConfig, {}),
      secrets: lookedUpSecrets(server),
      volumes: volumesOf(server),
    },
    USUAL_MACHINE,
  );
  return { grants, refusals: [...refusals, ...refuseSecretsInClear(server)] };
}

/** Placeholder for a user's input in a previewed address. */
const USUAL_VALUE = 'your-value.example';

/** Fills each input with its default or a typical value. */
function fillUsual(url: Template): string {
  const values = url.inputs.map(({ name, default: fallback }) => [name, fallback ?? USUAL_VALUE] as const);
  const filled = fillTemplate(url, new Map(values)) ?? url.text;
  return url.text === `{${url.inputs[0]?.name}}` && filled === USUAL_VALUE ? `https://${filled}` : filled;
}

/**
 * Returns refusals for secrets in the host of a URL, in the transport URL and in runtime arguments. A run
 * would store them in plain text.
 */
function refuseSecretsInClear(server: ServerSettings): readonly Refusal[] {
  return clearTemplates(server).flatMap(({ setting, template }) =>
    template.inputs
      .filter(
        ({ isSecret, isRequired, default: fallback }) => isSecret && (isRequired || fallback !== undefined),
      )
      .map(({ name }) => ({
        setting,
        found: `the secret ${name}`,
        because: 'it would be stored in plain text',
      })),
  );
}

function clearTemplates({
  runs,
  runtime,
  targetPort,
  targetPath,
}: ServerSettings): readonly { readonly setting: string; readonly template: Template }[] {
  const inHost = runs.form === 'remote' ? findSecretInHost(runs.url) : undefined;
  return [
    ...runtime.settings.flatMap(({ parts }) =>
      parts.map((template) => ({ setting: 'runtimeArguments', template })),
    ),
    ...[targetPort, targetPath].flatMap((template) =>
      template === undefined ? [] : [{ setting: 'transport.url', template }],
    ),
    ...(inHost === undefined ? [] : [{ setting: 'remote_url', template: { text: '', inputs: [inHost] } }]),
  ];
}

function volumesOf(server: ServerSettings): readonly string[] {
  const filled = fillRuntime(
    server.runtime.settings.filter(({ parts }) =>
      parts.every(({ inputs }) => inputs.every(({ isSecret }) => !isSecret)),
    ),
    new Map(),
    server.server,
  );
  return toEntryVolumes(filled).map(({ text }) => text);
}

function lookedUpSecrets(server: ServerSettings): readonly string[] {
  const secret = secretInputNames(server);
  return [
    ...new Set(
      inputsOf(server)
        .filter(isLookedUp)
        .map(({ name }) => name),
    ),
  ].filter((name) => secret.has(name) && !isReservedSecret(name));
}

function isLookedUp({ isRequired, isSecret, default: fallback }: EntryInput): boolean {
  return isRequired && isSecret && fallback === undefined;
}

/** Returns the inputs that a secret may fill. Leaves out inputs where a run refuses secrets. */
function inputsOf({ variables, headers, args, runs }: ServerSettings): readonly EntryInput[] {
  return [
    ...[...variables, ...headers, ...args].flatMap(({ value }) => value?.inputs ?? []),
    ...(runs.form === 'remote' ? runs.url.inputs : []),
  ];
}
