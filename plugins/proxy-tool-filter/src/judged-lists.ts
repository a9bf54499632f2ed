import type { ResponseView, ServerVerdict } from '@portolan/plugin-api';
import { judgeList } from './judge-list.ts';
import type { ToolNames } from './tool-names.ts';

/**
 * Caches judged lists by the list object, because the proxy passes the same frozen object while a list is
 * unchanged.
 */
export class JudgedLists {
  readonly #names: ToolNames;
  readonly #verdicts = new WeakMap<object, { readonly is: ServerVerdict | undefined }>();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  judge(response: ResponseView): ServerVerdict | undefined {
    const { result } = response;
    if (typeof result !== 'object' || result === null || !Object.isFrozen(result)) {
      return judgeList(this.#names, response);
    }
    const known = this.#verdicts.get(result);
    if (known !== undefined) return known.is;
    const is = judgeList(this.#names, response);
    this.#verdicts.set(result, { is });
    return is;
  }
}
