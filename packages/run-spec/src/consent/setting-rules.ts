import path from 'node:path';
import { findImageReference, isLoopbackHost, readIpAddress } from '@portolan/outbound';
import { isJsonObject } from '../document/json-members.ts';
import { parsePublishedPort } from '../parse/published-port.ts';
import { findForeignOwner } from '../parse/reserved-secret.ts';
import { findSecretReference } from '../parse/secret-reference.ts';
import { quote } from '../parse/text-faults.ts';
import { textOf } from '../parse/text-of.ts';
import { parseProfileMount, parseVolume, type Volume } from '../parse/volume.ts';
import { networkModeOf } from '../permissions/permission-profile.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { reachOf, resolvedReachOf, type ResolvedReach, showAddress } from './judge-address.ts';
import { nameServer } from './name-server.ts';
import { isWithin, refuseHostPath, showPath } from './judge-host-path.ts';
import { isVirtualServer } from '../run-config/members/is-virtual-server.ts';
import { CALLBACK_PORT } from '../run-config/refuse-callback-port.ts';
import type { ConsentFacts, DemandList, GrantKind, Stranger } from './grant.ts';

export interface Judged {
  readonly value: unknown;
  readonly setting: string;
  readonly key: string;
  readonly author: Stranger;
  readonly config: Readonly<Partial<RunConfig>>;
  readonly facts: ConsentFacts;
  readonly demands: DemandList;
}

export type Rule = (judged: Judged) => void;

/** Returns a rule for a string setting. A value of another type needs a grant like an unknown setting. */
function forText(judge: (text: string, judged: Judged) => void): Rule {
  return (judged) => {
    if (typeof judged.value === 'string') judge(judged.value, judged);
    else if (judged.value !== null) askUnknown(judged);
  };
}

export function askUnknown({ setting, demands, author }: Judged): void {
  if (author === 'entry') {
    demands.refuse(setting, 'a setting that no rule describes', 'an entry may not set it');
    return;
  }
  const line = `uses the setting ${setting}, of which Portolan does not know what it opens`;
  demands.add({ kind: 'setting', line, subject: setting, setting });
}

/** Adds a grant. Refuses it for a registry entry, except for kinds marked `isOfEntries`. */
function ask(
  { demands, setting, author }: Judged,
  kind: GrantKind,
  line: string,
  {
    subject,
    destination,
    isOfEntries = false,
  }: { subject: string; destination?: string; isOfEntries?: boolean },
): void {
  if (author === 'entry' && !isOfEntries) {
    demands.refuse(setting, line, 'an entry may not ask for it');
    return;
  }
  demands.add({ kind, line, subject, ...(destination === undefined ? {} : { destination }), setting });
}

export function mountRule(isReadOnly: boolean): Rule {
  return forText((text, judged) => {
    const { facts, setting } = judged;
    try {
      const mount = parseProfileMount(text, setting, isReadOnly, facts);
      if (mount !== undefined) askMount(mount, isReadOnly, judged);
    } catch (error) {
      refuseMount(text, judged, error);
    }
  });
}

export const volumeRule = forText((text, judged) => {
  try {
    const volume = parseVolume(text, judged.setting, judged.facts);
    askMount(volume, volume.readOnly, judged);
  } catch (error) {
    refuseMount(text, judged, error);
  }
});

/**
 * Refuses an invalid mount. Removes the setting's name from the message, because the refusal already contains
 * it.
 */
function refuseMount(text: string, { demands, setting }: Judged, error: unknown): void {
  demands.refuse(setting, `the mount ${quote(text)}`, textOf(error).replace(`${setting}: `, ''));
}

function askMount({ host, volume }: Volume, isReadOnly: boolean, judged: Judged): void {
  const { facts, demands, setting } = judged;
  if (volume !== undefined) {
    // Another workload or program may have data in a volume of this name.
    const subject = `volume ${volume}`;
    ask(judged, 'mount', `${isReadOnly ? 'read' : 'write'} the ${subject}`, { subject, isOfEntries: true });
    return;
  }
  const because = refuseHostPath(host, facts, { isReadOnly });
  if (because !== undefined) {
    demands.refuse(setting, `a mount of ${host}`, because);
    return;
  }
  const subject = showPath(host, facts);
  ask(judged, 'mount', `${isReadOnly ? 'read' : 'write'} ${subject}`, { subject, isOfEntries: true });
}

export const networkModeRule = forText((text, judged) => {
  const network = networkModeOf(text);
  if (network.mode === 'bridge' || network.mode === 'none') return;
  const subject = network.mode === 'named' ? `network ${network.name}` : 'network of the host';
  ask(judged, 'network', subject, { subject });
});

export const privilegedRule: Rule = ({ value, setting, demands }) => {
  if (value === false || value === null) return;
  demands.refuse(setting, 'a privileged container', 'it controls the whole machine');
};

/**
 * Rule for allowed hosts. A private address needs a grant, because it leads to other containers and machines.
 */
export const allowedHostRule = forText((text, judged) => {
  const host = (text.split('/')[0] ?? '').replace(/:\d+$/, '');
  const address =
    readIpAddress(text.startsWith('[') ? text.replace(/\].*$/, ']') : host) ?? readIpAddress(text);
  const name = address?.text ?? host.replace(/^\*?\./, '');
  if (name === '' || reachOf(name) === 'public') return;
  ask(judged, 'connect', `reaches ${text} in a private network`, { subject: text, isOfEntries: true });
});

/** Rule for network isolation. Only an explicit false needs a grant: a file without the field is isolated. */
export const isolationRule: Rule = (judged) => {
  const { value, config } = judged;
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  if (value !== false || mode !== 'bridge' || (config.remote_url ?? '') !== '') return;
  // A virtual server has no container of its own, and a file gives it none.
  if (isVirtualServer({ members: {}, member_group: '', ...config })) return;
  const line = 'reaches every address, without isolation';
  ask(judged, 'isolation', line, { subject: 'network isolation' });
};

/** Rule for a group whose workloads are the members of a virtual server. */
export const groupRule = forText((text, judged) => {
  if (text === '') return;
  ask(judged, 'connect', `uses every workload of the group ${text} on this machine`, { subject: text });
});

/** Returns a rule for a boolean that widens access when it is true. */
export function switchRule(kind: GrantKind, line: string): Rule {
  return (judged) => {
    if (judged.value === true) ask(judged, kind, line, { subject: judged.setting });
    else if (judged.value !== false && judged.value !== null) askUnknown(judged);
  };
}

export const listenRule: Rule = (judged) => {
  const { config, demands, setting } = judged;
  const port = config.port ?? 0;
  if (port === CALLBACK_PORT) demands.refuse('port', String(port), CALLBACK_REASON);
  const host = config.host ?? '';
  if (host === '' || isLoopbackHost(host)) return;
  const subject = `${host}${port === 0 ? '' : `:${port}`}`;
  ask({ ...judged, setting }, 'listen', `listens on ${subject}`, { subject });
};

const CALLBACK_REASON = 'browsers return from logins to this port';

export const publishRule = forText((text, judged) => {
  try {
    const { hostPort, containerPort } = parsePublishedPort(text, judged.setting);
    if (hostPort === CALLBACK_PORT) {
      judged.demands.refuse(judged.setting, text, CALLBACK_REASON);
      return;
    }
    const subject = hostPort === undefined ? `port ${containerPort} of the container` : String(hostPort);
    ask(judged, 'publish', `publishes ${subject}`, { subject });
  } catch (error) {
    judged.demands.refuse(judged.setting, textOf(error), 'it is no published port');
  }
});

export const targetHostRule = forText((text, judged) => {
  if (text === '' || isLoopbackHost(text) || (judged.config.remote_url ?? '') !== '') return;
  if (resolvedReachOf(text, judged.facts) === 'link-local') {
    judged.demands.refuse(judged.setting, text, LINK_LOCAL);
    return;
  }
  ask(judged, 'connect', `forwards requests to ${text}`, { subject: text });
});

const LINK_LOCAL = 'link-local addresses hand out credentials of machines';

export const remoteRule = forText((text, judged) => {
  const url = URL.parse(text);
  if (text === '') return;
  if (url === null) {
    judged.demands.refuse(judged.setting, text, 'it is no address');
    return;
  }
  const reach = resolvedReachOf(url.hostname, judged.facts);
  if (reach === 'link-local') {
    judged.demands.refuse(judged.setting, showAddress(text), LINK_LOCAL);
    return;
  }
  if (reach === 'public' && url.protocol === 'https:') return;
  const subject = showAddress(text);
  const headers = Object.values<Readonly<Record<string, string>>>({ ...judged.config.header_forward });
  const names = headers.flatMap(Object.keys);
  const sends = names.length === 0 ? '' : `, and sends ${names.join(', ')}`;
  ask(judged, 'connect', `connects to ${subject}${hiddenReach(url, reach)}${sends}`, {
    subject,
    destination: subject,
    isOfEntries: true,
  });
});

/** Returns a note for a public-looking name that resolves to a private address, or that does not resolve. */
function hiddenReach({ hostname }: URL, reach: ResolvedReach): string {
  if (reach === 'unresolved') return ', whose name does not resolve now and may lead to a private network';
  return reach === 'private' && reachOf(hostname) === 'public' ? ', which is in a private network' : '';
}

/** Returns a rule for an address to which Portolan itself sends data. */
export function sendRule(what: string): Rule {
  return forText((text, judged) => {
    if (text === '') return;
    const url = URL.parse(text.includes('://') ? text : `https://${text}`);
    const destination = url === null ? text : showAddress(url.href);
    if (url !== null && resolvedReachOf(url.hostname, judged.facts) === 'link-local') {
      judged.demands.refuse(judged.setting, destination, LINK_LOCAL);
      return;
    }
    ask(judged, 'send', `sends ${what} to ${destination}`, { subject: what, destination });
  });
}

/**
 * Rule for images. An image registry in a private network needs a grant, because the engine connects to it. A
 * name that does not resolve needs none: the engine may have the image, or use a mirror.
 */
export const imageRule = forText((text, judged) => {
  const registry = findImageReference(text)?.registry;
  if (registry === undefined) return;
  const reach = resolvedReachOf(URL.parse(`https://${registry}`)?.hostname ?? registry, judged.facts);
  if (reach === 'link-local') judged.demands.refuse(judged.setting, text, LINK_LOCAL);
  if (reach !== 'private') return;
  ask(judged, 'connect', `pulls its image from ${registry} in a private network`, {
    subject: registry,
    isOfEntries: true,
  });
});

/** Rule for an address from which Portolan only reads. A public https address needs no grant. */
export const fetchRule = forText((text, judged) => {
  const url = URL.parse(text);
  if (text === '') return;
  const reach = url === null ? 'private' : resolvedReachOf(url.hostname, judged.facts);
  if (url !== null && url.protocol === 'https:' && reach === 'public') return;
  const subject = url === null ? text : showAddress(text);
  if (reach === 'link-local') {
    judged.demands.refuse(judged.setting, subject, LINK_LOCAL);
    return;
  }
  ask(judged, 'connect', `connects to ${subject}${url === null ? '' : hiddenReach(url, reach)}`, {
    subject,
    destination: subject,
    isOfEntries: true,
  });
});

/** Returns a rule for a file to read. `destination` is where its content is sent. */
export function readRule(
  use: (config: Judged['config']) => { readonly line: string; readonly destination?: string } = () => ({
    line: '',
  }),
): Rule {
  return forText((text, judged) => {
    if (text === '') return;
    const { line, destination } = use(judged.config);
    const subject = showPath(wholePath(text, judged.facts), judged.facts);
    ask(judged, 'read', `reads ${subject}${line}`, {
      subject,
      ...(destination === undefined ? {} : { destination }),
    });
  });
}

/** Rule for files to write. Refuses those outside of the workload's state folder. */
export const writtenRule = forText((text, judged) => {
  if (text === '') return;
  const { facts, demands, setting } = judged;
  const file = wholePath(text, facts);
  const { stateFolder } = facts;
  const isBelow =
    stateFolder !== undefined && file !== stateFolder && isWithin(facts.realPath(file), stateFolder);
  if (isBelow && judged.author === 'file') return;
  demands.refuse(setting, file, 'a file may be written only below the state folder of the workload');
});

/** Rule for a map from header names to names of secrets. */
export const headerSecretRule = forText((text, judged) => {
  askSecret(text, serverOf(judged), judged);
});

export const secretRule = forText((text, judged) => {
  askSecret(findSecretReference(text)?.name ?? text, serverOf(judged), judged);
});

export function askReferredSecret(name: string, judged: Judged): void {
  const { config, setting } = judged;
  const [top = '', key = ''] = setting.split(/[.[]/);
  const destination =
    (DESTINATIONS[`${top}.${key}`] ?? DESTINATIONS[top])?.(config) ?? 'a service that the file names';
  askSecret(name, destination, judged);
}

function askSecret(name: string, destination: string, judged: Judged): void {
  const owner = findForeignOwner(name, judged.config.name ?? '');
  if (owner !== undefined) {
    judged.demands.refuse(judged.setting, `the secret ${name}`, `it belongs to ${owner}`);
    return;
  }
  ask(judged, 'secret', `gives the secret ${name} to ${destination}`, {
    subject: name,
    destination,
    isOfEntries: true,
  });
}

function remoteServer({ remote_url: url = '' }: Judged['config']): string {
  return showAddress(url);
}

/** Returns the addresses of all servers to which a login may send its secrets. */
export function authorizationServers(config: Judged['config']): string {
  const keys = ['token_url', 'issuer', 'cached_issuer'] as const;
  const named = keys.flatMap((key) => addressIn(config.remote_auth_config, key) ?? []);
  return named.length === 0 ? remoteServer(config) : [...new Set(named)].join(' and ');
}

/** Functions that return the address to which the secrets of a field are sent, by field or part. */
const DESTINATIONS: Readonly<Record<string, (config: Judged['config']) => string | undefined>> = {
  remote_auth_config: authorizationServers,
  'remote_auth_config.bearer_token': remoteServer,
  'remote_auth_config.cached_access_token_ref': remoteServer,
  'remote_auth_config.cached_reg_token_ref': (config) =>
    addressIn(config.remote_auth_config, 'cached_reg_client_uri') ?? authorizationServers(config),
  remote_credentials: remoteServer,
  oidc_config: ({ oidc_config: oidc }) => showAddress(oidc?.IntrospectionURL || oidc?.Issuer || ''),
  token_exchange_config: ({ token_exchange_config: exchange }) => addressIn(exchange, 'token_url'),
  telemetry_config: ({ telemetry_config: telemetry }) => addressIn(telemetry, 'endpoint'),
  session_store_password: ({ session_store: store = '' }) => showAddress(store),
};

function addressIn(document: unknown, key: string): string | undefined {
  const value: unknown = isJsonObject(document) ? document[key] : undefined;
  return typeof value === 'string' && value !== '' ? showAddress(value) : undefined;
}

/**
 * Names the server; for an entry, all its versions. An image counts before the file's run target, because the image runs.
 */
function serverOf({ author, config }: Judged): string {
  const { remote_url: url = '', image = '', run_target: target = '' } = config;
  if (url !== '') return showAddress(url);
  const server = image === '' ? target : image;
  const claimed = image === '' || target === '' || target === image ? '' : `, which the file calls ${target}`;
  return `the server ${author === 'entry' ? nameServer(server) : server}${claimed}`;
}

/** Rule for a variable of the host, whose value leaves the machine. */
export const hostVariableRule = forText((text, judged) => {
  const destination = addressIn(judged.config.telemetry_config, 'endpoint') ?? 'the telemetry collector';
  ask(judged, 'variable', `sends ${text} to ${destination}`, { subject: text, destination });
});

/**
 * Rule for run targets. A host folder needs a grant, a package from an index does not, and an image follows
 * the rule of `image`.
 */
export const runTargetRule = forText((text, judged) => {
  const [, folder] = /^[a-z][a-z0-9+.-]*:\/\/(\.{0,2}(?:\/.*|$)|\.{1,2})/is.exec(text) ?? [];
  if (folder === undefined) {
    if (!text.includes('://')) imageRule(judged);
    return;
  }
  // The npm and Python schemes build the whole folder, whatever the `#PROGRAM` after it.
  const whole = wholePath(folder.replace(/#.*$/s, ''), judged.facts);
  const packed = /^(?:npx|uvx):/i.test(text) ? whole : judged.facts.moduleFolder(whole);
  const subject = showPath(packed, judged.facts);
  const because =
    refuseHostPath(packed, judged.facts) ?? refuseHostPath(wholePath(folder, judged.facts), judged.facts);
  if (because !== undefined) {
    judged.demands.refuse(judged.setting, `a build of ${packed}`, because);
    return;
  }
  const image = judged.config.runtime_config?.builder_image ?? '';
  const line = `builds ${subject}${image === '' ? '' : ` with image ${image}`}`;
  ask(judged, 'build', line, { subject });
});

export const builderImageRule = forText((text, judged) => {
  if (text !== '') ask(judged, 'build', `builds with image ${text}`, { subject: text });
});

/** Rule for allowed origins, whose web pages may call the workload. */
export const originRule = forText((text, judged) => {
  const url = URL.parse(text);
  if (url !== null && isLoopbackHost(url.hostname)) return;
  ask(judged, 'listen', `lets pages of ${text} call it`, { subject: text });
});

/** Rule for labels, which other programs on the engine may interpret as instructions. */
export const labelRule: Rule = (judged) => {
  ask(judged, 'setting', `labels its container ${judged.key}, which other programs may act on`, {
    subject: judged.key,
  });
};

export const verificationRule = forText((text, judged) => {
  if (text === 'disabled')
    ask(judged, 'trust', 'runs its image without looking at signatures', { subject: text });
});

export const driftRule = forText((text, judged) => {
  if (text === 'warn') ask(judged, 'trust', 'uses changed tools without an approval', { subject: text });
});

export const ignoreRule: Rule = (judged) => {
  const { config, value } = judged;
  const { read = [], write = [] } = config.permission_profile ?? {};
  const hasMounts = read.length + write.length + (config.volumes ?? []).length > 0;
  if (value === false && hasMounts) {
    ask(judged, 'mount', 'sees what your ignore file hides', { subject: 'the global ignore file' });
  }
};

export const pluginRule: Rule = (judged) => {
  const type = isJsonObject(judged.value) ? judged.value['type'] : undefined;
  const subject = typeof type === 'string' ? type : 'of an unknown kind';
  ask(judged, 'plugin', `uses the plugin kind ${subject} with settings of the file`, { subject });
};

export function wholePath(
  text: string,
  { home, workingDirectory }: Pick<ConsentFacts, 'home' | 'workingDirectory'>,
): string {
  const expanded = text === '~' || text.startsWith('~/') ? path.join(home, text.slice(1)) : text;
  return path.resolve(workingDirectory, expanded);
}
