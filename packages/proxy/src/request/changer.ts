/**
 * Mark in `by` of a change that turns the call of one tool into that of another, such as `call_tool` of a
 * virtual server. The client does not know which arguments of the other tool it would repeat in headers.
 */
export const CALL_FOR_ANOTHER = 'call of another tool';

export interface Changer {
  readonly name: string;
  readonly by: readonly string[];
}
