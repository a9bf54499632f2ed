/** Call of a tool, independent of the SDK that serves it. */
export interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  /** Token of the client; undefined when the client requests no progress. */
  readonly progressToken: string | number | undefined;
  readonly notify: (method: string, params: Readonly<Record<string, unknown>>) => Promise<void>;
  /**
   * Sends a request to the client. Without a handshake, the tool runs again with the client's response, so it
   * can ask only once.
   */
  readonly ask: (
    method: 'sampling/createMessage' | 'elicitation/create' | 'roots/list',
    params: Readonly<Record<string, unknown>>,
  ) => Promise<object>;
  readonly declares: (capability: 'sampling' | 'elicitation' | 'roots') => boolean;
  /** Closes the event stream of the call before the response, if there is a stream. */
  readonly closeStream: () => void;
  /** Notifies listening clients that the list has changed. */
  readonly announce: (list: 'tools' | 'prompts') => Promise<void>;
}

/** A content block of a result, as the protocol defines it. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Tool {
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  run(call: Call): Promise<readonly Block[]>;
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (words: string): Block => ({ type: 'text', text: words });
const image: Block = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string): Block => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});
const says = (description: string, ...blocks: readonly Block[]): Tool => ({
  description,
  run: async () => blocks,
});

/** Every tool that the official suite requires from servers of any revision. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  test_simple_text: says('A text', text('This is a simple text response for testing.')),
  test_image_content: says('An image', image),
  test_audio_content: says('A sound', { type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: says(
    'A resource in the result',
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: says(
    'Text, image and resource',
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_error_handling: {
    description: 'Fails',
    run: async () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_tool_with_logging: {
    description: 'Logs three times',
    run: async ({ notify }) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await notify('notifications/message', { level: 'info', data });
      }
      return [text('Tool with logging executed successfully')];
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress three times',
    run: async ({ notify, progressToken = 0 }) => {
      for (const progress of [0, 50, 100]) {
        await notify('notifications/progress', { progressToken, progress, total: 100 });
      }
      return [text(String(progressToken))];
    },
  },
  test_reconnection: {
    description: 'Ends its stream before it answers',
    run: async ({ closeStream }) => {
      closeStream();
      return [text('Reconnection test completed successfully.')];
    },
  },
  test_sampling: {
    description: 'Asks the model of the client',
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    run: async ({ args, ask }) => {
      const message = { role: 'user', content: { type: 'text', text: args['prompt'] } };
      const sampled = await ask('sampling/createMessage', { messages: [message], maxTokens: 100 });
      return [text(`LLM response: ${JSON.stringify(sampled)}`)];
    },
  },
  test_elicitation: {
    description: 'Asks the user of the client',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: async ({ args, ask }) => {
      const properties = { response: { type: 'string', description: "User's response" } };
      const requestedSchema = { type: 'object', properties, required: ['response'] };
      return [
        told('User response', await ask('elicitation/create', { message: args['message'], requestedSchema })),
      ];
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with a default of each primitive type',
    run: async ({ ask }) => {
      const properties = {
        name: { type: 'string', description: 'User name', default: 'John Doe' },
        age: { type: 'integer', description: 'User age', default: 30 },
        score: { type: 'number', description: 'User score', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', description: 'Verification status', default: true },
      };
      const requestedSchema = { type: 'object', properties, required: [] };
      const message = 'Please review and update the form fields with defaults';
      return [told('Elicitation completed', await ask('elicitation/create', { message, requestedSchema }))];
    },
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks for a choice, in five ways',
    run: async ({ ask }) => {
      const plain = ['option1', 'option2', 'option3'];
      const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }));
      const properties = {
        untitledSingle: { type: 'string', enum: plain },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: plain } },
        titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
      };
      const requestedSchema = { type: 'object', properties, required: [] };
      const message = 'Please select options from the enum fields';
      return [told('Elicitation completed', await ask('elicitation/create', { message, requestedSchema }))];
    },
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: async ({ args }) => [text(JSON.stringify(args))],
  },
};

export interface Prompt {
  readonly description: string;
  readonly args?: readonly string[];
  messages(args: Readonly<Record<string, string>>): readonly Block[];
}

/** Every prompt that the suite requires from servers of any revision. */
export const PROMPTS: Readonly<Record<string, Prompt>> = {
  test_simple_prompt: {
    description: 'A prompt without arguments',
    messages: () => [text('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'A prompt with two arguments',
    args: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'A prompt with a resource in it',
    args: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'A prompt with an image in it',
    messages: () => [image, text('Please analyze the image above.')],
  },
};

/** Contents of a resource. */
export interface Contents {
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

export const RESOURCES: Readonly<Record<string, Contents>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

export const TEMPLATE = {
  name: 'template',
  uriTemplate: 'test://template/{id}/data',
  mimeType: 'application/json',
};

/** Returns the contents of a resource; undefined for an unknown URI. */
export function readResource(uri: string): Contents | undefined {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return Object.hasOwn(RESOURCES, uri) ? RESOURCES[uri] : undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: 'application/json', text: JSON.stringify(data) };
}

function told(what: string, response: object): Block {
  const { action, content = {} } = response as { readonly action?: string; readonly content?: object };
  return text(`${what}: action=${action}, content=${JSON.stringify(content)}`);
}
