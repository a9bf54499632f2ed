import { isJsonObject } from '@portolan/plugin-api';
import { argumentsOf, type Attributes, MAX_ARGUMENTS } from '../engine/arguments.ts';

/** What policies are asked about: may the caller do this with that. */
export interface Target {
  readonly feature: Feature;
  /** Name of the tool or the prompt, address of the resource or its template. */
  readonly name: string;
  readonly args: Attributes;
}

export type Feature = 'tool' | 'prompt' | 'resource';

/** Cedar's words for each. */
export const FEATURES = {
  tool: { action: 'call_tool', type: 'Tool', operation: 'call' },
  prompt: { action: 'get_prompt', type: 'Prompt', operation: 'get' },
  resource: { action: 'read_resource', type: 'Resource', operation: 'read' },
} as const satisfies Record<
  Feature,
  { readonly action: string; readonly type: string; readonly operation: string }
>;

/** Where the items of a list stand, and what each is judged as. */
export interface ListedItems {
  /** Member of the result. */
  readonly member: string;
  readonly feature: Feature;
  /** Member of an item that names it. */
  readonly named: string;
}

/** Where tasks stand, each of which is judged as the call that began it. */
export type TaskItems = Omit<ListedItems, 'feature'>;

/** How a request of a client is judged. */
export type Treatment =
  | { readonly is: 'allowed' }
  | { readonly is: 'decided'; readonly target: Target }
  | { readonly is: 'listed'; readonly items: ListedItems }
  /** `subscriptions/listen`: what it asks for is narrowed. */
  | { readonly is: 'narrowed' }
  /** Of the tool that began the task, by whoever began it. */
  | { readonly is: 'task'; readonly taskId: string }
  /** `tasks/list`: where it is configured, those of the caller. */
  | { readonly is: 'tasksListed'; readonly items: TaskItems }
  | { readonly is: 'denied'; readonly because: string };

type Params = Readonly<Record<string, unknown>>;

const ALLOWED: Treatment = { is: 'allowed' };
const NAMELESS: Treatment = { is: 'denied', because: 'It does not say in Unicode what it is about.' };

/** By method; what is not here is denied. */
const TREATMENTS = new Map<string, (params: Params) => Treatment>([
  ['initialize', () => ALLOWED],
  ['server/discover', () => ALLOWED],
  ['ping', () => ALLOWED],
  ['logging/setLevel', () => ALLOWED],
  ['tools/call', (params) => decided('tool', params['name'], params['arguments'])],
  ['prompts/get', (params) => decided('prompt', params['name'], params['arguments'])],
  ['resources/read', (params) => decided('resource', params['uri'])],
  ['resources/subscribe', (params) => decided('resource', params['uri'])],
  ['resources/unsubscribe', (params) => decided('resource', params['uri'])],
  ['completion/complete', (params) => completed(params['ref'])],
  ['tools/list', () => listed('tools', 'tool', 'name')],
  ['prompts/list', () => listed('prompts', 'prompt', 'name')],
  ['resources/list', () => listed('resources', 'resource', 'uri')],
  ['resources/templates/list', () => listed('resourceTemplates', 'resource', 'uriTemplate')],
  ['subscriptions/listen', () => ({ is: 'narrowed' })],
  ['tasks/get', (params) => ofTask(params['taskId'])],
  ['tasks/result', (params) => ofTask(params['taskId'])],
  ['tasks/update', (params) => ofTask(params['taskId'])],
  ['tasks/cancel', (params) => ofTask(params['taskId'])],
  ['tasks/list', () => ({ is: 'tasksListed', items: { member: 'tasks', named: 'taskId' } })],
]);

/** Methods that the table knows. */
export const KNOWN_METHODS: readonly string[] = [...TREATMENTS.keys()];

/** Whether there is a rule for a method at all. */
export function isKnownMethod(method: string): boolean {
  return TREATMENTS.has(method);
}

/** Why `tasks/list` is denied where nobody has allowed it. */
export const NO_TASK_LISTS = 'Lists of tasks are not allowed here (list_tasks).';

export function treatmentOf(method: string, params: Params = {}): Treatment {
  const treat = TREATMENTS.get(method);
  return treat === undefined ? { is: 'denied', because: 'No policy can allow this method.' } : treat(params);
}

/** What policies are asked about an item, or about anything else that a request names. */
export function decided(feature: Feature, name: unknown, given?: unknown): Treatment {
  const count = isJsonObject(given) ? Object.keys(given).length : 0;
  if (count > MAX_ARGUMENTS) {
    return { is: 'denied', because: `It has ${count} arguments, more than ${MAX_ARGUMENTS}.` };
  }
  const args = argumentsOf(given);
  if (typeof name !== 'string' || !name.isWellFormed()) return NAMELESS;
  if (args === undefined) {
    return { is: 'denied', because: 'An argument is no Unicode, so that it cannot be judged.' };
  }
  return { is: 'decided', target: { feature, name, args } };
}

const REF_MEMBERS: readonly string[] = ['type', 'name', 'uri'];

function completed(ref: unknown): Treatment {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  // Some servers read names without case.
  const isUnclear = Object.keys(isJsonObject(ref) ? ref : {}).some(
    (key) => !REF_MEMBERS.includes(key) && REF_MEMBERS.includes(key.toLowerCase()),
  );
  if (isUnclear) return { is: 'denied', because: 'What it completes can be read in two ways.' };
  if (type === 'ref/prompt') return decided('prompt', name);
  if (type === 'ref/resource') return decided('resource', uri);
  return { is: 'denied', because: 'It completes neither a prompt nor a template of resources.' };
}

function listed(member: string, feature: Feature, named: string): Treatment {
  return { is: 'listed', items: { member, feature, named } };
}

function ofTask(taskId: unknown): Treatment {
  return typeof taskId === 'string' ? { is: 'task', taskId } : NAMELESS;
}
