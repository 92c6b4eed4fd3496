// A webhook that admits everything, as controller-runtime serves one: what the guard is measured beside.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func main() {
	certificate := flag.String("certificate", "", "file of the certificate, PEM")
	key := flag.String("key", "", "file of its key, PEM")
	flag.Parse()
	pair, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		log.Fatal(err)
	}
	// HTTP/1.1 alone, as the API server speaks to webhooks.
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	webhook := &admission.Webhook{Handler: admission.HandlerFunc(admitAll)}
	mux.Handle("/validate", webhook)
	mux.Handle("/mutate", webhook)
	fmt.Printf("listens on https://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}

func admitAll(context.Context, admission.Request) admission.Response {
	return admission.Allowed("")
}
