import type { RuleName, Severity, Strength } from './rule-book.ts';
import { RULES } from './rule-book.ts';

/** Problem of a document, as in the response of `POST /v1/validate`. */
export interface DocumentIssue {
  readonly type: 'schema' | 'semantic' | 'linter';
  /** Path such as `packages[0].transport.url`; empty for the document itself. */
  readonly path: string;
  /** What was found and what was expected. */
  readonly message: string;
  readonly severity: Severity;
  /** Name of the rule, or `schema:` and the JSON Schema keyword. */
  readonly reference: string;
}

export const MAX_ISSUES = 100;

/**
 * Collects issues. At each place, only the first error is kept, so that rules do not repeat what a schema
 * reported. Above 100 issues, further ones are only counted.
 */
export class IssueList {
  readonly #strength: Strength;
  readonly #issues: DocumentIssue[] = [];
  readonly #faulty = new Set<string>();
  #leftOut = 0;
  #leftOutSeverity: Severity = 'warning';

  constructor(strength: Strength) {
    this.#strength = strength;
  }

  report(name: RuleName, path: string, message: string): void {
    const rule = RULES[name];
    const severity = rule[this.#strength];
    if (severity !== 'off') this.add({ type: rule.type, path, message, severity, reference: name });
  }

  add(issue: DocumentIssue): void {
    if (this.#faulty.has(issue.path)) return;
    if (this.#issues.length >= MAX_ISSUES) {
      this.#leftOut += 1;
      if (issue.severity === 'error') this.#leftOutSeverity = 'error';
      return;
    }
    if (issue.severity === 'error') this.#faulty.add(issue.path);
    this.#issues.push(issue);
  }

  /** Returns at most 100 issues, errors first, and one more that says how many were left out. */
  all(): readonly DocumentIssue[] {
    const issues = this.#leftOut === 0 ? this.#issues : [...this.#issues, this.#rest()];
    return [
      ...issues.filter((issue) => issue.severity === 'error'),
      ...issues.filter((issue) => issue.severity === 'warning'),
    ];
  }

  #rest(): DocumentIssue {
    const message = `has ${this.#leftOut} more problems, which are left out here`;
    return { type: 'schema', path: '', message, severity: this.#leftOutSeverity, reference: 'document-size' };
  }
}
