import { isJsonObject, memberOf } from '../message/message.ts';
import { type MirroredParam, readMirroredParams } from './mirrored-param.ts';

/** Which arguments of which tool are repeated in headers, learned from the lists that pass by. */
export class MirroredTools {
  readonly #byTool = new Map<string, readonly MirroredParam[]>();

  /** Takes what a list of tools says, whoever asked for it. */
  learn(result: unknown): void {
    const tools = isJsonObject(result) ? memberOf(result, 'tools') : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      const name = isJsonObject(tool) ? memberOf(tool, 'name') : undefined;
      if (typeof name === 'string') this.#byTool.set(name, readMirroredParams(memberOf(tool, 'inputSchema')));
    }
  }

  /** Of one tool; undefined for one that stood in no list. */
  paramsOf(tool: string): readonly MirroredParam[] | undefined {
    return this.#byTool.get(tool);
  }

  /** The tools have changed. */
  forget(): void {
    this.#byTool.clear();
  }
}
