{{- define "stageguard.name" -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "stageguard.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "stageguard.name" .) }}
{{- end }}

{{- /* The Secret with the certificate that the guard shows. */}}
{{- define "stageguard.tlsSecret" -}}
{{ .Values.certificates.secretName | default (printf "%s-tls" (include "stageguard.name" .)) }}
{{- end }}

{{- /* While this Role is bound to the guard's account, the webhooks are in force. */}}
{{- define "stageguard.armed" -}}
{{ include "stageguard.name" . }}-armed
{{- end }}

{{- /* The same as an expression of the API server. */}}
{{- define "stageguard.isArmed" -}}
authorizer.serviceAccount('{{ .Release.Namespace }}', '{{ include "stageguard.serviceAccountName" . }}').group('stageguard.io').resource('hooks').namespace('{{ .Release.Namespace }}').check('answer').allowed()
{{- end }}

{{- /* The name that the API server calls, which the certificate must bear. */}}
{{- define "stageguard.host" -}}
{{ include "stageguard.name" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "stageguard.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- define "stageguard.selectorLabels" -}}
app.kubernetes.io/name: stageguard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "stageguard.labels" -}}
{{ include "stageguard.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "stageguard.metadata" -}}
name: {{ include "stageguard.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "stageguard.labels" . | nindent 2 }}
{{- end }}

{{- /* The mode that a place of the settings gives to a rule: src/engine/policy.ts. Nothing where it says nothing of it. */}}
{{- define "stageguard.mode" -}}
{{- /* Helm reads an off without quotes as false. */ -}}
{{- $named := get (.place.rules | default dict) .rule | toString | replace "false" "off" -}}
{{- $mode := $named -}}
{{- if and (not $named) (hasKey .place "defaultMode") -}}
{{- $cap := .place.defaultMode | toString | replace "false" "off" -}}
{{- $set := get (.config.rules | default dict) .rule | toString | replace "false" "off" | default .own -}}
{{- range list "deny" "warn" "audit" "off" -}}
{{- if or (eq . $cap) (eq . $set) -}}{{- $mode = . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $mode -}}
{{- end }}

{{- /* What becomes of a strategy without stages: deny, warn, or nothing where the guard is not asked about it. */}}
{{- define "stageguard.checkMode" -}}
{{- $place := merge (dict "defaultMode" (dig "defaultMode" "deny" .Values.config)) (dict "rules" (.Values.config.rules | default dict)) -}}
{{- $mode := include "stageguard.mode" (dict "place" $place "config" .Values.config "rule" "strategy-stages-present" "own" "deny") -}}
{{- if has "clusterstagedupdatestrategies" .Values.notServedKinds }}{{ $mode = "off" }}{{ end -}}
{{- if has $mode (list "deny" "warn") }}{{ $mode }}{{ end -}}
{{- end }}

{{- /* Whether a name of the hub agent is right, as variables: a wrong one must never stop a hub. */}}
{{- define "stageguard.hubAgentIsKnown" -}}
{{- $confirmed := toString (dig "hubAgent" "confirmed" "auto" .Values.config) -}}
{{- $name := "hubAgentIsKnown" -}}
{{- $checks := list -}}
{{- $names := list -}}
{{- range .Values.hubAgent.users -}}
{{- if regexMatch "^system:serviceaccount:[^:]+:[^:]+$" . -}}
{{- $parts := splitList ":" . -}}
{{- $one := printf "%s%d" $name (len $checks) -}}
{{- $names = append $names (printf "variables.%s" $one) -}}
{{- $checks = append $checks (dict "name" $one "expression" (printf "authorizer.serviceAccount('%s', '%s').group('placement.kubernetes-fleet.io').resource('clusterstagedupdateruns').subresource('status').check('update').allowed()" (index $parts 2) (index $parts 3))) -}}
{{- end -}}
{{- end -}}
{{- if ne $confirmed "auto" -}}
{{- toJson (list (dict "name" $name "expression" $confirmed)) -}}
{{- else -}}
{{- toJson (append $checks (dict "name" $name "expression" (join " || " $names | default "false"))) -}}
{{- end -}}
{{- end }}

{{- /* The metadata of what others look for by labels of their own. */}}
{{- define "stageguard.monitoring" -}}
name: {{ include "stageguard.name" .root }}{{ .suffix }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "stageguard.labels" .root | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
