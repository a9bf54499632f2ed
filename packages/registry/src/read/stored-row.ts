export interface StoredRow {
  readonly source_id: number;
  readonly claim_set_id: number;
  readonly name: string;
  readonly version: string;
  readonly is_latest: 0 | 1;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly status_message: string | null;
  readonly status_changed_at: string;
  readonly published_at: string;
  readonly updated_at: string;
  readonly carried_updated_at: string | null;
  readonly origin: string | null;
  readonly document: string;
}
