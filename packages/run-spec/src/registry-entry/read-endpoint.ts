import { textMember } from '../document/json-members.ts';
import type { EntryInput, Template } from './entry-input.ts';
import { variablesInUrl } from './read-input.ts';
import type { ServerForm, ServerSettings } from './server-settings.ts';

export interface EndpointSource {
  readonly runs: ServerForm;
  readonly transport: unknown;
  /** Values of the package, by the names that its transport URL may use. */
  readonly values: ReadonlyMap<string, Template>;
}

interface Endpoint extends Pick<ServerSettings, 'targetPort' | 'targetPath'> {
  readonly notes: readonly string[];
}

const NONE: Endpoint = { targetPort: undefined, targetPath: undefined, notes: [] };
const URL_PARTS = /^https?:\/\/(\[[^\]]*\]|[^/?#:]*)(?::([^/?#:]+))?(\/[^?#]*)?(\?[^#]*)?(?:#.*)?$/i;
/** Hosts in a transport URL that refer to the container itself. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'];

export function readEndpoint(
  { runs, transport, values }: EndpointSource,
  name: string | undefined,
): Endpoint {
  const text = textMember(transport, 'url');
  if (runs.form === 'remote' || text === undefined) return NONE;
  if (name === 'stdio')
    return { ...NONE, notes: [`The transport URL ${text} does not count: the transport is stdio.`] };
  const parts = URL_PARTS.exec(text);
  if (parts === null)
    return { ...NONE, notes: [`The transport URL ${text} does not count: it is no http or https URL.`] };
  const [, host = '', port, path, query = ''] = parts;
  return {
    targetPort: port === undefined ? undefined : fillFromPackage(port, values),
    targetPath:
      path === undefined && query === ''
        ? undefined
        : requireInputs(fillFromPackage(`${path ?? '/'}${query}`, values)),
    notes: OWN_HOSTS.includes(host.toLowerCase())
      ? []
      : [`The host ${host} of the transport URL does not count: Portolan connects to the container.`],
  };
}

/** Marks all inputs of a template as required, because the path is unknown without them. */
function requireInputs({ text, inputs }: Template): Template {
  return { text, inputs: inputs.map((input) => ({ ...input, isRequired: true })) };
}

/** Replaces names by values of the package. An unknown name becomes an input. */
function fillFromPackage(text: string, values: ReadonlyMap<string, Template>): Template {
  const inputs = new Map<string, EntryInput>();
  const filled = text.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = values.get(name) ?? { text: whole, inputs: variablesInUrl(whole, undefined) };
    for (const input of value.inputs) inputs.set(input.name, input);
    return value.text;
  });
  return { text: filled, inputs: [...inputs.values()] };
}
