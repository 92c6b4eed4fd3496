{{- /* What would take a hub down, or never run, is refused; a risk can be accepted by its name. */}}
{{- define "stageguard.check" -}}
{{- $values := .Values }}
{{- range $key := list "users" "deployment" }}
{{- if hasKey ($values.config.hubAgent | default dict) $key }}
{{- fail (printf "config.hubAgent.%s: set hubAgent.%s instead; webhooks and rights need the names too." $key $key) }}
{{- end }}
{{- end }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" .Release.Name) }}
{{- fail (printf "release name %s: objects are named after it, and a Service must begin with a letter and hold nothing but a-z, 0-9 and -. Name the release stageguard." .Release.Name) }}
{{- end }}
{{- if and $values.webhook.url $values.config }}
{{- fail "config is set, but the guard at webhook.url reads a config file of its own (stageguard serve --config). Leave config empty, and put it there." }}
{{- end }}
{{- if and $values.webhook.url $values.clientCa }}
{{- fail "clientCa is set, but the guard at webhook.url is told by itself whom to answer (stageguard serve --client-ca). Leave clientCa empty." }}
{{- end }}
{{- if and $values.clientNames (not $values.clientCa) }}
{{- fail "clientNames is set, but clientCa is empty: without CAs no name can be trusted. Set clientCa too." }}
{{- end }}
{{- if and $values.clientCa (not (contains "-----BEGIN CERTIFICATE-----" $values.clientCa)) }}
{{- fail "clientCa holds no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----." }}
{{- end }}
{{- range $label := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" }}
{{- if hasKey $values.podLabels $label }}
{{- fail (printf "podLabels: %s is set by the chart. Take another name." $label) }}
{{- end }}
{{- end }}
{{- if not $values.webhook.url }}
{{- if not $values.image.repository }}
{{- fail "image.repository is empty: no pod could start, and no public image is meant. Set it to where you keep the image, such as registry.example.com/stageguard." }}
{{- end }}
{{- if eq (int $values.service.port) 8444 }}
{{- fail "service.port is 8444: that is the port of the metrics. Take another." }}
{{- end }}
{{- if not $values.webhook.inForce }}
{{- fail "webhook.inForce is false, but webhook.url is empty: the guard's own pods put the webhooks in force when they can answer. Leave webhook.inForce as it is." }}
{{- end }}
{{- if and (lt (int $values.replicaCount) 2) (not (has "one-replica" $values.acceptedRisks)) }}
{{- fail "replicaCount is 1: whenever its only pod is away, runs and strategies cannot be written and approvals not granted. Set replicaCount to 2 or more, or add one-replica to acceptedRisks." }}
{{- end }}
{{- if and (lt (int $values.drainSeconds) 5) (not (has "short-drain" $values.acceptedRisks)) }}
{{- fail (printf "drainSeconds is %v: it takes seconds until nobody sends to a pod that ends, so writes would be refused whenever one does. Set drainSeconds to 5 or more, or add short-drain to acceptedRisks." $values.drainSeconds) }}
{{- end }}
{{- if and (not (regexMatch "^(fleet|kube)-" .Release.Namespace)) (not (has "namespace-without-pods" $values.acceptedRisks)) }}
{{- fail (printf "namespace %s: KubeFleet hubs forbid pods outside of namespaces that begin with fleet- or kube-, so the guard would never start. Install with --namespace fleet-stageguard; or, if this hub allows workloads (enableWorkload), add namespace-without-pods to acceptedRisks." .Release.Namespace) }}
{{- end }}
{{- if and (eq $values.certificates.mode "provided") (not (and $values.certificates.secretName $values.webhook.caBundle)) }}
{{- fail "certificates.mode is provided: set certificates.secretName to a Secret with tls.crt and tls.key, and webhook.caBundle to the base64 of the PEM certificates they are verified with." }}
{{- end }}
{{- if and (ne $values.certificates.mode "provided") $values.webhook.caBundle }}
{{- fail (printf "webhook.caBundle is set, but certificates.mode is %s, which brings its own. Leave webhook.caBundle empty, or set certificates.mode to provided." $values.certificates.mode) }}
{{- end }}
{{- end }}
{{- end }}
