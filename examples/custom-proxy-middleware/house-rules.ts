import {
  type ConfigBlock,
  isJsonObject,
  type MessageChange,
  type Plugin,
  type ProxyMiddlewareKind,
  type ServerMessage,
} from '@portolan/plugin-api';

/** Refuses calls of tools whose names begin with one of these prefixes. */
const quietConfig = {
  type: 'object',
  description: 'Tools that nobody calls.',
  required: ['tools'],
  properties: {
    tools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Beginnings of their names.',
    },
  },
} as const satisfies ConfigBlock;

export const quietTools: ProxyMiddlewareKind<typeof quietConfig> = {
  kind: 'quiet-tools',
  config: quietConfig,
  placed: 'authorize',
  create: ({ tools }) => ({
    onMessage: (message) => {
      if (message.kind !== 'request' || message.method !== 'tools/call') return undefined;
      const name = message.params?.['name'];
      const isQuiet = typeof name === 'string' && tools.some((beginning) => name.startsWith(beginning));
      return isQuiet ? { refuse: { message: 'This tool is not for calling.' } } : undefined;
    },
  }),
};

/** Sets an argument of every call to a fixed value. */
const fixedConfig = {
  type: 'object',
  description: 'An argument that clients do not choose.',
  required: ['argument', 'value'],
  properties: {
    argument: { type: 'string', description: 'Its name.' },
    value: { type: 'string', description: 'Its value.' },
  },
} as const satisfies ConfigBlock;

export const fixedArgument: ProxyMiddlewareKind<typeof fixedConfig> = {
  kind: 'fixed-argument',
  config: fixedConfig,
  placed: 'mutate',
  create: ({ argument, value }) => ({
    onMessage: (message) => {
      const isCall = message.kind === 'request' && message.method === 'tools/call';
      if (!isCall || !isJsonObject(message.params?.['arguments'])) return undefined;
      return { change: [{ path: ['params', 'arguments', argument], json: JSON.stringify(value) }] };
    },
  }),
};

/** Masks a word in all messages to clients, and refuses requests of the server to clients. */
const maskConfig = {
  type: 'object',
  description: 'A word that leaves no server.',
  required: ['word'],
  properties: { word: { type: 'string', minLength: 1, description: 'The word.' } },
} as const satisfies ConfigBlock;

export const maskedWord: ProxyMiddlewareKind<typeof maskConfig> = {
  kind: 'masked-word',
  config: maskConfig,
  placed: 'filter',
  create: ({ word }) => ({
    onResponse: (message) => {
      if (message.kind === 'request') return { refuse: { message: 'Nobody is asked here.', code: -32601 } };
      const change = textsOf(message).flatMap(({ path, text }): MessageChange[] =>
        text.includes(word) ? [{ path, json: JSON.stringify(text.replaceAll(word, '***')) }] : [],
      );
      return change.length === 0 ? undefined : { change };
    },
  }),
};

interface TextMatch {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Returns every string in a message with its path; ignores member names. */
function textsOf(message: ServerMessage): readonly TextMatch[] {
  if (message.kind !== 'response') return textsIn(message.params, ['params']);
  return [...textsIn(message.result, ['result']), ...textsIn(message.error, ['error'])];
}

function textsIn(value: unknown, path: readonly (string | number)[]): readonly TextMatch[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, [...path, name]));
}

export default {
  name: 'house-rules',
  apiVersion: 2,
  contributes: { proxyMiddleware: [quietTools, fixedArgument, maskedWord] },
} satisfies Plugin;
