import { isJsonObject, memberOf } from '../message/message.ts';
import { type MirroredParam, readMirroredParams } from './mirrored-param.ts';

/** Cache of the arguments that clients repeat in headers, by tool. */
export class MirroredTools {
  readonly #byTool = new Map<string, readonly MirroredParam[]>();

  learn(result: unknown): void {
    const tools = isJsonObject(result) ? memberOf(result, 'tools') : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      const name = isJsonObject(tool) ? memberOf(tool, 'name') : undefined;
      if (typeof name === 'string') this.#byTool.set(name, readMirroredParams(memberOf(tool, 'inputSchema')));
    }
  }

  paramsOf(tool: string): readonly MirroredParam[] | undefined {
    return this.#byTool.get(tool);
  }

  forget(): void {
    this.#byTool.clear();
  }
}
