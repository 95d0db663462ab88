; A household of our own, in the form of ALFWorld's problems.
(define (problem bath_cloth)
(:domain alfred)
(:objects
  agent1 - agent
  Cloth_bar_1 SoapBar_bar_1 ToiletPaper_bar_1 - object
  SinkBasin_bar_1 CounterTop_bar_1 Cabinet_bar_1 Cabinet_bar_2 Toilet_bar_1 TowelHolder_bar_1 GarbageCan_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 - location
  ClothType SoapBarType ToiletPaperType - otype
  CabinetType CounterTopType GarbageCanType SinkBasinType ToiletType TowelHolderType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType SinkBasin_bar_1 SinkBasinType) (receptacleAtLocation SinkBasin_bar_1 loc_bar_1)
  (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_2)
  (receptacleType Cabinet_bar_1 CabinetType) (receptacleAtLocation Cabinet_bar_1 loc_bar_3) (openable Cabinet_bar_1)
  (receptacleType Cabinet_bar_2 CabinetType) (receptacleAtLocation Cabinet_bar_2 loc_bar_4) (openable Cabinet_bar_2)
  (receptacleType Toilet_bar_1 ToiletType) (receptacleAtLocation Toilet_bar_1 loc_bar_5)
  (receptacleType TowelHolder_bar_1 TowelHolderType) (receptacleAtLocation TowelHolder_bar_1 loc_bar_6)
  (receptacleType GarbageCan_bar_1 GarbageCanType) (receptacleAtLocation GarbageCan_bar_1 loc_bar_7)
  (objectType Cloth_bar_1 ClothType) (pickupable Cloth_bar_1) (cleanable Cloth_bar_1) (inReceptacle Cloth_bar_1 Cabinet_bar_2) (objectAtLocation Cloth_bar_1 loc_bar_4)
  (objectType SoapBar_bar_1 SoapBarType) (pickupable SoapBar_bar_1) (cleanable SoapBar_bar_1) (inReceptacle SoapBar_bar_1 CounterTop_bar_1) (objectAtLocation SoapBar_bar_1 loc_bar_2)
  (objectType ToiletPaper_bar_1 ToiletPaperType) (pickupable ToiletPaper_bar_1) (inReceptacle ToiletPaper_bar_1 Toilet_bar_1) (objectAtLocation ToiletPaper_bar_1 loc_bar_5)
  (canContain CabinetType ClothType) (canContain CabinetType SoapBarType) (canContain CabinetType ToiletPaperType)
  (canContain CounterTopType ClothType) (canContain CounterTopType SoapBarType) (canContain CounterTopType ToiletPaperType)
  (canContain GarbageCanType ClothType) (canContain GarbageCanType SoapBarType) (canContain GarbageCanType ToiletPaperType)
  (canContain SinkBasinType ClothType) (canContain SinkBasinType SoapBarType) (canContain SinkBasinType ToiletPaperType)
  (canContain ToiletType ClothType) (canContain ToiletType SoapBarType) (canContain ToiletType ToiletPaperType)
  (canContain TowelHolderType ClothType) (canContain TowelHolderType SoapBarType) (canContain TowelHolderType ToiletPaperType)
)
(:goal (and
  (exists (?r - receptacle)
    (exists (?o - object)
      (and (objectType ?o ClothType) (receptacleType ?r CounterTopType) (cleanable ?o) (isClean ?o)
           (inReceptacle ?o ?r))))
))
)
