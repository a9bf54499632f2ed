{{/*
What the kubernetes sources of the configuration read of the cluster that this runs in: namespace to resources, as JSON.
"*" stands for all namespaces. A source with a kubeconfig reads with the rights that are in it.
*/}}
{{- define "portolan.reads" -}}
{{- $all := list "mcpservers" "virtualmcpservers" "mcpremoteproxies" "httproutes" "ingresses" "services" -}}
{{- $reads := dict -}}
{{- range .Values.config.sources -}}
{{- $source := default dict .kubernetes -}}
{{- if and (hasKey . "kubernetes") (not $source.kubeconfig) -}}
{{- range $namespace := default (list "*") $source.namespaces -}}
{{- $resources := concat (default list (get $reads $namespace)) (default $all $source.resources) -}}
{{- $_ := set $reads $namespace (uniq $resources) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $reads -}}
{{- end }}

{{/* "yes" where a source reads that cluster. */}}
{{- define "portolan.readsCluster" -}}
{{- if ne (include "portolan.reads" .) "{}" -}}yes{{- end -}}
{{- end }}

{{/* The rules that let somebody read a list of resources, and say at an object why it was left out. */}}
{{- define "portolan.rules" -}}
{{- $groups := dict "mcpservers" "toolhive.stacklok.dev" "virtualmcpservers" "toolhive.stacklok.dev" "mcpremoteproxies" "toolhive.stacklok.dev" "httproutes" "gateway.networking.k8s.io" "ingresses" "networking.k8s.io" "services" "" -}}
{{- range . }}
- apiGroups: [{{ get $groups . | quote }}]
  resources: [{{ . }}]
  verbs: [get, list, watch]
{{- end }}
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end }}
