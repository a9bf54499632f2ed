import { isJsonObject } from '@portolan/plugin-api';
import { argumentsOf, type Attributes, MAX_ARGUMENTS } from '../engine/arguments.ts';

export interface Target {
  readonly feature: Feature;
  /** Tool or prompt name, resource URI, or URI template. */
  readonly name: string;
  readonly args: Attributes;
}

export type Feature = 'tool' | 'prompt' | 'resource';

/** Cedar names of each feature. */
export const FEATURES = {
  tool: { action: 'call_tool', type: 'Tool', operation: 'call' },
  prompt: { action: 'get_prompt', type: 'Prompt', operation: 'get' },
  resource: { action: 'read_resource', type: 'Resource', operation: 'read' },
} as const satisfies Record<
  Feature,
  { readonly action: string; readonly type: string; readonly operation: string }
>;

/** Entity type of the members of a virtual server. */
export const MEMBER_TYPE = 'Server';

export interface ListedItems {
  /** Member of the result that holds the list. */
  readonly member: string;
  readonly feature: Feature;
  /** Member that contains the name of an item. */
  readonly named: string;
}

/** Tasks of a list. Each is judged like the call that began it. */
export type TaskItems = Omit<ListedItems, 'feature'>;

export type Treatment =
  | { readonly is: 'allowed' }
  | { readonly is: 'decided'; readonly target: Target }
  | { readonly is: 'listed'; readonly items: ListedItems }
  /** `subscriptions/listen`: removes the denied subjects. */
  | { readonly is: 'narrowed' }
  /** Judged like the call that began the task, and only for the caller of that call. */
  | { readonly is: 'task'; readonly taskId: string }
  /** `tasks/list`: filtered to the caller's tasks, if the configuration allows it. */
  | { readonly is: 'tasksListed'; readonly items: TaskItems }
  | { readonly is: 'denied'; readonly because: string };

type Params = Readonly<Record<string, unknown>>;

const ALLOWED: Treatment = { is: 'allowed' };
const NAMELESS: Treatment = { is: 'denied', because: 'Its target is missing or not valid Unicode.' };

/** Rules by method; other methods are denied. */
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

export const KNOWN_METHODS: readonly string[] = [...TREATMENTS.keys()];

export function isKnownMethod(method: string): boolean {
  return TREATMENTS.has(method);
}

/** Reason for denying `tasks/list` by default. */
export const NO_TASK_LISTS = 'Lists of tasks are not allowed here (list_tasks).';

export function treatmentOf(method: string, params: Params = {}): Treatment {
  const treat = TREATMENTS.get(method);
  return treat === undefined ? { is: 'denied', because: 'No policy can allow this method.' } : treat(params);
}

export function decided(feature: Feature, name: unknown, input?: unknown): Treatment {
  const count = isJsonObject(input) ? Object.keys(input).length : 0;
  if (count > MAX_ARGUMENTS) {
    return { is: 'denied', because: `It has ${count} arguments, more than ${MAX_ARGUMENTS}.` };
  }
  const args = argumentsOf(input);
  if (typeof name !== 'string' || !name.isWellFormed()) return NAMELESS;
  if (args === undefined) {
    return { is: 'denied', because: 'An argument is not valid Unicode.' };
  }
  return { is: 'decided', target: { feature, name, args } };
}

const REF_MEMBERS: readonly string[] = ['type', 'name', 'uri'];

function completed(ref: unknown): Treatment {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  // Some servers ignore the case of member names.
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
