// Builds a folder of Kubernetes manifests as `kubectl kustomize` does, and reads each object into the type of its API:
// a key that the API doesn't know is an error. Prints the objects as JSON, one a line.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	for _, one := range built.Resources() {
		text, err := one.AsYAML()
		if err != nil {
			log.Fatal(err)
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			log.Fatalf("%s: %v", one.CurId(), err)
		}
		line, err := json.Marshal(object)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(line))
	}
}
