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

{{- /* What becomes of a strategy without stages: deny, warn, or nothing where the guard is not asked about it. */}}
{{- define "stageguard.checkMode" -}}
{{- $mode := get (.Values.config.rules | default dict) "strategy-stages-present" | toString | default "deny" -}}
{{- if has "clusterstagedupdatestrategies" .Values.notServedKinds }}{{ $mode = "off" }}{{ end -}}
{{- if has $mode (list "deny" "warn") }}{{ $mode }}{{ end -}}
{{- end }}
