{{/* "yes" where the data is in PostgreSQL: the settings say so, or a variable that is stronger than they are. */}}
{{- define "portolan.usesPostgres" -}}
{{- $database := default dict .Values.config.database -}}
{{- $names := list -}}
{{- range concat .Values.secretEnv .Values.env }}{{ $names = append $names .name }}{{ end -}}
{{- if or $database.host (has "PORTOLAN_DATABASE_HOST" $names) (has "PORTOLAN_DATABASE_URL" $names) -}}
yes
{{- else if and $database.url (not (hasPrefix "sqlite:" $database.url)) -}}
yes
{{- end -}}
{{- end }}

{{/* "yes" where a job changes the layout before the servers start. */}}
{{- define "portolan.migratesBefore" -}}
{{- if and .Values.migration.enabled (eq (include "portolan.usesPostgres" .) "yes") -}}yes{{- end -}}
{{- end }}
