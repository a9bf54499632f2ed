import { pathOfMember } from '../json-value.ts';
import { metadataBytesOf, PUBLISHER_PROVIDED } from '../publisher-metadata.ts';
import type { IssueList } from './issue-list.ts';

export function reportMetadataIssues(document: unknown, issues: IssueList, maxBytes: number): void {
  const bytes = metadataBytesOf(document);
  if (bytes <= maxBytes) return;
  const path = pathOfMember('_meta', PUBLISHER_PROVIDED);
  issues.report('metadata-size', path, `found ${bytes} bytes of JSON; expected at most ${maxBytes}`);
}
