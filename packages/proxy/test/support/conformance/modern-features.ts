import { type InputRequiredResult, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import type { Tool } from './features.ts';

/** Tools that the suite requires only from Modern servers. */
export const MODERN_TOOLS: Readonly<Record<string, Tool>> = {
  test_logging_tool: {
    description: 'Logs, to whoever wants it',
    run: async ({ notify }) => {
      await notify('notifications/message', { level: 'info', data: 'logged' });
      return [{ type: 'text', text: 'done' }];
    },
  },
  test_trigger_tool_change: {
    description: 'Says that the tools have changed',
    run: async ({ announce }) => {
      await announce('tools');
      return [{ type: 'text', text: 'told' }];
    },
  },
  test_trigger_prompt_change: {
    description: 'Says that the prompts have changed',
    run: async ({ announce }) => {
      await announce('prompts');
      return [{ type: 'text', text: 'told' }];
    },
  },
  test_custom_headers: {
    description: 'Has arguments that are repeated in headers',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
        dry_run: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
        note: { type: 'string' },
      },
    },
    run: async ({ args }) => [{ type: 'text', text: JSON.stringify(args) }],
  },
};

/** Input that a round requests from the client. */
export type Wanted =
  | { readonly form: string; readonly message: string; readonly type?: 'boolean' }
  | { readonly sample: string }
  | 'roots';

/** A tool that needs several rounds of input from the client. */
export interface InputTool {
  readonly description: string;
  readonly rounds: readonly Readonly<Record<string, Wanted>>[];
  /** Whether the client carries the number of the round in the request state. */
  readonly hasState?: boolean;
  /** Whether the tool requests only input that the client declares support for. */
  readonly asksDeclared?: boolean;
}

const NAME: Wanted = { form: 'name', message: 'What is your name?' };
const CONFIRM: Wanted = { form: 'ok', message: 'Please confirm', type: 'boolean' };
const CAPITAL: Wanted = { sample: 'What is the capital of France?' };

export const INPUT_TOOLS: Readonly<Record<string, InputTool>> = {
  test_input_required_result_elicitation: { description: 'Asks the user', rounds: [{ user_name: NAME }] },
  test_input_required_result_sampling: {
    description: 'Asks the model',
    rounds: [{ capital_question: CAPITAL }],
  },
  test_input_required_result_list_roots: {
    description: 'Asks for roots',
    rounds: [{ client_roots: 'roots' }],
  },
  test_input_required_result_request_state: {
    description: 'Keeps its state with the client',
    rounds: [{ confirm: CONFIRM }],
    hasState: true,
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks three things at once',
    rounds: [{ user_name: NAME, greeting: { sample: 'Generate a greeting' }, client_roots: 'roots' }],
    hasState: true,
  },
  test_input_required_result_multi_round: {
    description: 'Asks twice',
    rounds: [
      { step1: { form: 'name', message: 'Step 1: What is your name?' } },
      { step2: { form: 'color', message: 'Step 2: What is your favorite color?' } },
    ],
    hasState: true,
  },
  test_input_required_result_tampered_state: {
    description: 'Knows its own state again',
    rounds: [{ confirm: CONFIRM }],
    hasState: true,
  },
  test_input_required_result_capabilities: {
    description: 'Asks what the client can answer',
    rounds: [{ user_name: NAME, capital_question: CAPITAL }],
    asksDeclared: true,
  },
  test_missing_capability: { description: 'Needs a model', rounds: [{ capital_question: CAPITAL }] },
  test_streaming_elicitation: { description: 'Asks the user', rounds: [{ user_name: NAME }] },
};

export const INPUT_PROMPT = 'test_input_required_result_prompt';

export interface Round {
  readonly context: ServerContext;
  readonly mint: (state: string) => Promise<string>;
}

/** Returns the next input request of the tool, or its result when the client has responded to all of them. */
export async function nextRound(
  tool: InputTool,
  { context, mint }: Round,
): Promise<InputRequiredResult | Done> {
  const { inputResponses = {}, requestState } = context.mcpReq;
  const at = tool.hasState === true ? Number(requestState<string>() ?? 0) : 0;
  const isAnswered = Object.entries(tool.rounds[at] ?? {}).every(([key, expected]) =>
    answers(inputResponses[key], expected),
  );
  const next = isAnswered ? at + 1 : at;
  const round = tool.rounds[next];
  if (round === undefined) {
    const words = `state-ok: ${JSON.stringify(inputResponses)}`;
    return { content: [{ type: 'text', text: words }], words };
  }
  const requests = Object.entries(round).filter(
    ([, expected]) => tool.asksDeclared !== true || isDeclared(context, expected),
  );
  return inputRequired({
    inputRequests: Object.fromEntries(requests.map(([key, expected]) => [key, toRequest(expected)])),
    ...(tool.hasState === true ? { requestState: await mint(String(next)) } : {}),
  });
}

/** Result of a tool; `words` is the text for a prompt. */
export interface Done extends Record<string, unknown> {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly words: string;
}

function toRequest(expected: Wanted): ReturnType<typeof inputRequired.listRoots> {
  if (expected === 'roots') return inputRequired.listRoots();
  if ('sample' in expected) {
    const content = { type: 'text' as const, text: expected.sample };
    return inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 });
  }
  const { form, message, type } = expected;
  const field = type === 'boolean' ? ({ type } as const) : ({ type: 'string' } as const);
  const requestedSchema = { type: 'object' as const, properties: { [form]: field }, required: [form] };
  return inputRequired.elicit({ message, requestedSchema });
}

function answers(response: unknown, expected: Wanted): boolean {
  if (typeof response !== 'object' || response === null) return false;
  if (expected === 'roots') return 'roots' in response;
  if ('sample' in expected) return 'content' in response;
  if (!('content' in response) || typeof response.content !== 'object' || response.content === null)
    return false;
  const { [expected.form]: input } = response.content as Readonly<Record<string, unknown>>;
  return typeof input === (expected.type ?? 'string');
}

function isDeclared({ mcpReq }: ServerContext, expected: Wanted): boolean {
  // SAFETY: the SDK has checked that the envelope is an object; its type lacks this key.
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, object>>;
  const declared = envelope['io.modelcontextprotocol/clientCapabilities'] ?? {};
  if (expected === 'roots') return 'roots' in declared;
  return 'sample' in expected ? 'sampling' in declared : 'elicitation' in declared;
}

/** Key of the input request of a tool that both eras offer. */
export const ASKED = 'asked';

/** Thrown to end a tool until the client has sent the input. */
export class InputNeeded extends Error {
  readonly #method: string;
  readonly #params: Readonly<Record<string, unknown>>;

  constructor(method: string, params: Readonly<Record<string, unknown>>) {
    super('the client has to answer first');
    this.#method = method;
    this.#params = params;
  }

  toResult(): InputRequiredResult {
    const params = this.#params;
    // SAFETY: the tools pass valid parameters.
    const request =
      this.#method === 'elicitation/create'
        ? inputRequired.elicit(params as Parameters<typeof inputRequired.elicit>[0])
        : inputRequired.createMessage(params as Parameters<typeof inputRequired.createMessage>[0]);
    return inputRequired({ inputRequests: { [ASKED]: request } });
  }
}
