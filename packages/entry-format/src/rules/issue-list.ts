import type { RuleName, Severity, Strength } from './rule-book.ts';
import { RULES } from './rule-book.ts';

/** One thing that is wrong with a document, as `POST /v1/validate` tells it. */
export interface DocumentIssue {
  readonly type: 'schema' | 'semantic' | 'linter';
  /** Where, as `packages[0].transport.url`; empty for the document itself. */
  readonly path: string;
  /** What was found and what was expected. */
  readonly message: string;
  readonly severity: Severity;
  /** The rule: its name, or `schema:` and the keyword of JSON Schema. */
  readonly reference: string;
}

/** Most issues that are told of one document. */
export const MAX_ISSUES = 100;

/**
 * Collects issues. At one place the first error counts: what a schema found
 * there is not said again by a rule. Past 100 issues it only counts them.
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

  /** Tells that a rule is not kept at a path. */
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

  /** The issues, errors first; at most 100, and one more that counts the rest. */
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
